// SPDX-License-Identifier: Apache-2.0
// Matrices in NumPy's .npy files, format versions 1.0 to 3.0 (numpy/lib/format.py describes them).
//
// Reading is safe on any file: sizes are checked against the file before memory is taken. Writing is all or nothing: a
// temporary file beside the target, renamed when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tileloom::npy {

// A row-major f16 matrix without gaps; elements as bit patterns.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::uint16_t> values;  // rows * cols
};

// A matrix read from a file, and what reading did to it.
struct LoadedMatrix {
  Matrix matrix;
  bool from_float32 = false;           // the file holds float32: values were rounded to nearest even
  std::int64_t values_rounded = 0;     // that are not the float32 value any more, those to infinity included
  std::int64_t values_overflowed = 0;  // finite in the file, infinite in f16
  bool from_fortran_order = false;     // the file was column-major: transposed
};

// Reads a two-dimensional little-endian float16 or float32 array, C or Fortran order.
// Throws Error(io) when the path is no readable regular file, Error(bad_input) for anything else that is wrong; both
// name the path.
[[nodiscard]] LoadedMatrix read_matrix(const std::string& path);

// The same from the bytes of a file; `name` stands for the path in messages.
[[nodiscard]] LoadedMatrix parse_matrix(std::span<const std::byte> bytes, const std::string& name);

// Types of elements, little-endian.
enum class Type : std::uint8_t { f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

// `float16`, `int32`, as NumPy names them.
[[nodiscard]] std::string_view to_string(Type type);
[[nodiscard]] std::size_t bytes_of(Type type);

// An array of any rank in C order: the last index runs fastest, no gaps.
struct Array {
  Type type = Type::f16;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::int64_t elements() const;
};

// Throws Error(io) when the path is no readable regular file, Error(bad_input) for anything else that is wrong,
// Fortran order included; both name the path.
[[nodiscard]] Array read_array(const std::string& path);

// A file that appears under its name complete or not at all. Opened early, a bad path is known before the work is done.
//   npy::Writer out("gram.npy");
//   ... compute ...
//   out.write(rows, cols, values);
// A target that exists keeps its permissions; a symbolic link is followed; a device or pipe is written in place.
class Writer {
 public:
  // Throws Error(io), naming the path, when a file cannot be made there.
  explicit Writer(std::string path);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();  // without a write, nothing is left behind

  // Writes the f16 matrix (version 1.0, C order), flushes it to the disk and puts it under its name; once only.
  // `values` holds rows * cols elements. Throws Error(io), naming the path, and leaves nothing behind.
  void write(std::int64_t rows, std::int64_t cols, std::span<const std::uint16_t> values);
  // The same for any array; `bytes` holds all of its elements.
  void write(Type type, std::span<const std::int64_t> shape, std::span<const std::byte> bytes);

  struct Impl;

 private:
  void write_parts(const std::string& header, std::span<const std::byte> bytes);

  std::unique_ptr<Impl> impl_;
};

void write_matrix(const std::string& path, const Matrix& matrix);

// Removes the temporary files of all unfinished Writers of this process. Safe in a signal handler; for a program that
// is about to end.
void remove_unfinished() noexcept;

}  // namespace tileloom::npy
