// SPDX-License-Identifier: Apache-2.0
// The head of a .npy file: magic, version, and a Python dictionary literal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tileloom::npy {

struct Header {
  std::string descr;  // `<f2`
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  // bytes from the start of the file
};

// No file needs more: NumPy writes 128 bytes for a matrix.
inline constexpr std::size_t max_header_bytes = 65536;

// `bytes`: the file's beginning, all of it or at least max_header_bytes. Throws Error(bad_input) that starts with
// `name: `.
[[nodiscard]] Header parse_header(std::span<const std::byte> bytes, const std::string& name);

// Version 1.0, padded so that the data begin at a multiple of 64 bytes, as NumPy does.
[[nodiscard]] std::string format_header(std::string_view descr, std::span<const std::int64_t> shape);

// Bytes of a file, safe to print: at most 24, others than printable ASCII as \xNN.
[[nodiscard]] std::string printable(std::string_view text);

// `(1797, 64)`, `(5,)`, `()`, as Python writes it.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace tileloom::npy
