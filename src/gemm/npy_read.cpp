// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "gemm/half.hpp"
#include "gemm/npy_header.hpp"
#include "text/file.hpp"
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

void check_size(const Plan& plan, const Header& header, std::uint64_t file_bytes, const std::string& name) {
  const std::uint64_t expected = plan.count * plan.element_bytes;
  const std::uint64_t found = file_bytes - plan.data_offset;
  if (found != expected) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected {} bytes of data for shape {}, found {}", name, expected,
                            shape_text(header.shape), found),
                found < expected ? "the file is cut short" : "the file goes on after its data");
  }
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

// Reads on from the descriptor's position until `bytes` is full or the file ends; gives the count.
std::size_t read_some(int descriptor, std::span<std::byte> bytes, const std::string& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno != EINTR) {
      throw_io(path, "read");
    }
    if (got == 0) {
      break;
    }
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return done;
}

}  // namespace

LoadedMatrix parse_matrix(std::span<const std::byte> bytes, const std::string& name) {
  const Header header = parse_header(bytes, name);
  const Plan what = plan(header, name);
  check_size(what, header, bytes.size(), name);
  return load(what, bytes.subspan(what.data_offset));
}

LoadedMatrix read_matrix(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
    throw_io(path, "read");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot read: expected a regular file, found {}", path,
                                           S_ISDIR(status.st_mode) ? "a directory" : "a pipe, socket or device"));
  }
  std::vector<std::byte> head(max_header_bytes);
  head.resize(read_some(file.get(), head, path));
  const Header header = parse_header(head, path);
  const Plan what = plan(header, path);
  check_size(what, header, static_cast<std::uint64_t>(status.st_size), path);

  // The size is the file's, so a hostile header cannot ask for more memory than the file has bytes.
  std::vector<std::byte> data(what.count * what.element_bytes);
  const std::size_t in_head = std::min(head.size() - what.data_offset, data.size());
  std::copy_n(head.begin() + static_cast<std::ptrdiff_t>(what.data_offset), in_head, data.begin());
  const std::size_t got = in_head + read_some(file.get(), std::span(data).subspan(in_head), path);
  if (got != data.size()) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot read: the file became shorter while it was read", path));
  }
  return load(what, data);
}

}  // namespace tileloom::npy
