// SPDX-License-Identifier: Apache-2.0
#include "bench/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "bench/shape_lists.hpp"
#include "tileloom/error.hpp"

namespace tileloom::bench {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 20U;
constexpr std::int64_t largest_matrix = std::int64_t{1} << 31U;  // elements: 4 GiB
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// The sizes before `end`; false where they are not three of 1 to 2^20.
bool read_sizes(std::string_view text, std::array<std::int64_t, 3>& sizes) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) {
      return false;
    }
    const auto [stop, error] = std::from_chars(at, end, sizes[i]);
    if (error != std::errc() || sizes[i] < 1 || sizes[i] > largest_size) {
      return false;
    }
    at = stop;
  }
  return at == end;
}

void check_matrices(const std::string& where, const Shape& shape) {
  struct Matrix {
    char name;
    std::int64_t elements;
  };
  for (const auto& [name, elements] :
       {Matrix{'A', shape.m * shape.k}, {'B', shape.n * shape.k}, {'D', shape.m * shape.n}}) {
    if (elements > largest_matrix) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: expected at most 2^31 elements in a matrix, found {} in {} of {}", where, elements,
                              name, to_string(shape)));
    }
  }
}

}  // namespace

std::string to_string(const Shape& shape) {
  return fmt::format("{},{},{}", shape.m, shape.n, shape.k);
}

GemmProblem problem_of(const Shape& shape, Accumulate accumulate) {
  return dense_problem(shape.m, shape.n, shape.k, accumulate);
}

double operations(const Shape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

double least_bytes(const Shape& shape) {
  return 2.0 * static_cast<double>(shape.m * shape.k + shape.n * shape.k + shape.m * shape.n);
}

Shape parse_shape(const std::string& where, std::string_view text) {
  std::array<std::int64_t, 3> sizes{};
  if (!read_sizes(text, sizes)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected M,N,K, each from 1 to {}, found '{}'", where, largest_size, text),
                "for example 1024,1024,1024");
  }
  Shape shape{sizes[0], sizes[1], sizes[2]};
  check_matrices(where, shape);
  return shape;
}

std::vector<Shape> parse_shape_file(const std::string& file, std::string_view text) {
  std::vector<Shape> shapes;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, std::min(text.find('#'), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty()) {
      const std::size_t stop = std::min(line.find_first_of(blanks), line.size());
      shapes.push_back(parse_shape(fmt::format("{}:{}", file, number), line.substr(0, stop)));
      shapes.back().name = trimmed(line.substr(stop));
    }
  }
  if (shapes.empty()) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected lines M,N,K NAME, found none", file));
  }
  return shapes;
}

const std::vector<std::string>& shape_set_names() {
  static const std::vector<std::string> names{"squares", "llm-core"};
  return names;
}

std::vector<Shape> shape_set(std::string_view name) {
  if (name == "llm-core") {
    return parse_shape_file("llm-core", llm_core_list());
  }
  std::vector<Shape> squares;
  for (const std::int64_t size : {256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384}) {
    squares.push_back({size, size, size});
  }
  return squares;
}

std::vector<Shape> without_repetitions(const std::vector<Shape>& shapes) {
  std::vector<Shape> kept;
  for (const Shape& shape : shapes) {
    if (std::ranges::none_of(kept, [&](const Shape& other) { return other.same_sizes(shape); })) {
      kept.push_back(shape);
    }
  }
  return kept;
}

}  // namespace tileloom::bench
