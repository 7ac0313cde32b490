// SPDX-License-Identifier: Apache-2.0
// A shared library of NVIDIA's, found at run time.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>
#include <type_traits>

namespace tileloom::cuda {

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

  // Looks `symbol` up; null, and the first such name in missing(), where there is none. Precondition: found().
  template <class Function>
  void find(const char* symbol, Function& function) {
    void* address = dlsym(handle_, symbol);
    if (address == nullptr && missing_.empty()) {
      missing_ = symbol;
    }
    function = reinterpret_cast<Function>(address);
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace tileloom::cuda
