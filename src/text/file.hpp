// SPDX-License-Identifier: Apache-2.0
// A POSIX file descriptor that closes itself, and the one text of a failed system call.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "tileloom/error.hpp"

namespace tileloom {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

// `PATH: cannot read: No such file or directory`, from errno.
[[noreturn]] inline void throw_io(const std::string& path, const char* verb, std::string hint = {}) {
  throw Error(ErrorKind::io, path + ": cannot " + verb + ": " + std::strerror(errno), std::move(hint));
}

}  // namespace tileloom
