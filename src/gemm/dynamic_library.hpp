// SPDX-License-Identifier: Apache-2.0
// A shared library of NVIDIA's, found at run time.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

namespace tileloom::cuda {

template <class Result, class... Parameters>
using Function = Result (*)(Parameters...);

// Stays loaded until the process ends.
class DynamicLibrary {
 public:
  // The first of these names that can be opened.
  explicit DynamicLibrary(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      handle_ = handle_ != nullptr ? handle_ : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
  }
  [[nodiscard]] bool found() const { return handle_ != nullptr; }

  // An address that becomes whatever function pointer it is assigned to.
  struct Symbol {
    void* address;
    template <class Result, class... Parameters>
    operator Function<Result, Parameters...>() const {  // NOLINT(google-explicit-constructor)
      return reinterpret_cast<Function<Result, Parameters...>>(address);
    }
  };

  // Looks `name` up; null, and the first such name in missing(), where there is none. Precondition: found().
  [[nodiscard]] Symbol find(const char* name) {
    void* address = dlsym(handle_, name);
    if (address == nullptr && missing_.empty()) {
      missing_ = name;
    }
    return {address};
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace tileloom::cuda
