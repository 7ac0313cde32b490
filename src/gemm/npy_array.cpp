// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gemm/npy_file.hpp"
#include "gemm/npy_type.hpp"
#include "tileloom/error.hpp"
#include "tileloom/npy.hpp"

namespace tileloom::npy {
namespace {

Type type_of(const Header& header, const std::string& path) {
  if (const auto type = parse_descr(header.descr)) {
    return *type;
  }
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: dtype: expected little-endian float16 to float64 or integers of 8 to 64 bits, found '{}'", path,
                  printable(header.descr)),
      "save it as one of those, for example numpy.save(file, x.astype('<f4'))");
}

std::uint64_t count_bytes(const Header& header, Type type, const std::string& path) {
  auto total = static_cast<std::int64_t>(bytes_of(type));
  for (const std::int64_t extent : header.shape) {
    if (__builtin_mul_overflow(total, extent, &total)) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: shape: expected an array of fewer than 2^63 bytes, found {}",
                                                    path, shape_text(header.shape)));
    }
  }
  return static_cast<std::uint64_t>(total);
}

}  // namespace

std::int64_t Array::elements() const {
  return static_cast<std::int64_t>(bytes.size() / bytes_of(type));
}

Array read_array(const std::string& path) {
  InputFile file(path);
  const Header& header = file.header();
  const Type type = type_of(header, path);
  if (header.fortran_order) {
    throw Error(ErrorKind::bad_input, path + ": expected C order, found Fortran order",
                "save numpy.ascontiguousarray(x), or x.T for the bytes as they lie");
  }
  return {type, header.shape, file.data(count_bytes(header, type, path))};
}

}  // namespace tileloom::npy
