// SPDX-License-Identifier: Apache-2.0
// A .npy file that is being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm/npy_header.hpp"
#include "text/file.hpp"

namespace tileloom::npy {

class InputFile {
 public:
  // Reads the header. Throws Error(io) when the path is no readable regular file, Error(bad_input) for a header that is
  // none.
  explicit InputFile(std::string path);

  [[nodiscard]] const Header& header() const { return header_; }
  // The data: `count` bytes, all that the file has after its header. Throws before memory is taken.
  [[nodiscard]] std::vector<std::byte> data(std::uint64_t count);

 private:
  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::vector<std::byte> head_;
  Header header_;
};

// Throws Error(bad_input) unless a file of so many bytes holds `expected` bytes of data.
void check_size(const Header& header, std::uint64_t expected, std::uint64_t file_bytes, const std::string& name);

}  // namespace tileloom::npy
