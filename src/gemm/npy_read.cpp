// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gemm/half.hpp"
#include "gemm/npy_file.hpp"
#include "gemm/npy_header.hpp"
#include "tileloom/error.hpp"
#include "tileloom/npy.hpp"

namespace tileloom::npy {
namespace {

static_assert(std::endian::native == std::endian::little, "values are taken from the file as they are");

// What the header promises, checked: a matrix whose bytes can be counted.
struct Plan {
  std::int64_t rows;
  std::int64_t cols;
  std::size_t element_bytes;
  std::size_t count;
  bool transposed;
  std::size_t data_offset;
};

[[noreturn]] void refuse_type(const std::string& descr, const std::string& name) {
  const bool big_endian = descr == ">f2" || descr == ">f4";
  const std::string hint = big_endian ? "save it little-endian: numpy.save(file, x.astype('<f2'))"
                                      : "save it as half: numpy.save(file, x.astype(numpy.float16))";
  const bool safe = descr.size() <= 16 && std::ranges::all_of(descr, [](char c) { return c >= ' ' && c <= '~'; });
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: dtype: expected float16 ('<f2') or float32 ('<f4'), found '{}'", name,
                          safe ? descr : std::string("unprintable")),
              hint);
}

std::size_t element_bytes(const std::string& descr, const std::string& name) {
  if (descr == "<f2" || descr == "=f2") {
    return 2;
  }
  if (descr == "<f4" || descr == "=f4") {
    return 4;
  }
  refuse_type(descr, name);
}

Plan plan(const Header& header, const std::string& name) {
  const std::size_t bytes = element_bytes(header.descr, name);
  if (header.shape.size() != 2) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: shape: expected two dimensions, found {}: {}", name, header.shape.size(),
                            shape_text(header.shape)),
                "give it two: numpy.save(file, x.reshape(rows, columns))");
  }
  const std::int64_t rows = header.shape[0];
  const std::int64_t cols = header.shape[1];
  std::int64_t count = 0;
  std::int64_t total = 0;
  if (__builtin_mul_overflow(rows, cols, &count) ||
      __builtin_mul_overflow(count, static_cast<std::int64_t>(bytes), &total)) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: shape: expected a matrix of fewer than 2^63 bytes, found {}",
                                                  name, shape_text(header.shape)));
  }
  return {rows, cols, bytes, static_cast<std::size_t>(count), header.fortran_order, header.data_offset};
}

void round_to_f16(std::span<const std::byte> data, LoadedMatrix& loaded) {
  loaded.from_float32 = true;
  for (std::size_t i = 0; i < loaded.matrix.values.size(); ++i) {
    float value = 0;
    std::memcpy(&value, data.data() + i * sizeof value, sizeof value);
    const std::uint16_t rounded = half_from(value);
    const float back = half_to_f32(rounded);
    loaded.matrix.values[i] = rounded;
    loaded.values_rounded += back != value && !std::isnan(value) ? 1 : 0;
    loaded.values_overflowed += std::isinf(back) && !std::isinf(value) ? 1 : 0;
  }
}

// The file holds `cols` columns of `rows` values; makes rows of them, block by block for the cache's sake.
void transpose(Matrix& matrix) {
  constexpr std::int64_t block = 32;
  std::vector<std::uint16_t> rows(matrix.values.size());
  for (std::int64_t i0 = 0; i0 < matrix.rows; i0 += block) {
    for (std::int64_t j0 = 0; j0 < matrix.cols; j0 += block) {
      for (std::int64_t i = i0; i < std::min(i0 + block, matrix.rows); ++i) {
        for (std::int64_t j = j0; j < std::min(j0 + block, matrix.cols); ++j) {
          rows[static_cast<std::size_t>(i * matrix.cols + j)] =
              matrix.values[static_cast<std::size_t>(j * matrix.rows + i)];
        }
      }
    }
  }
  matrix.values = std::move(rows);
}

LoadedMatrix load(const Plan& plan, std::span<const std::byte> data) {
  LoadedMatrix loaded;
  loaded.matrix = {plan.rows, plan.cols, std::vector<std::uint16_t>(plan.count)};
  if (plan.element_bytes == sizeof(float)) {
    round_to_f16(data, loaded);
  } else if (plan.count > 0) {
    std::memcpy(loaded.matrix.values.data(), data.data(), data.size());
  }
  if (plan.transposed) {
    loaded.from_fortran_order = true;
    if (plan.count > 0) {
      transpose(loaded.matrix);
    }
  }
  return loaded;
}

}  // namespace

LoadedMatrix parse_matrix(std::span<const std::byte> bytes, const std::string& name) {
  const Header header = parse_header(bytes, name);
  const Plan what = plan(header, name);
  check_size(header, what.count * what.element_bytes, bytes.size(), name);
  return load(what, bytes.subspan(what.data_offset));
}

LoadedMatrix read_matrix(const std::string& path) {
  InputFile file(path);
  const Plan what = plan(file.header(), path);
  return load(what, file.data(what.count * what.element_bytes));
}

}  // namespace tileloom::npy
