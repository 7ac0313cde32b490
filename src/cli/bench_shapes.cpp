// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "cli/arguments.hpp"
#include "cli/batch_file.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

constexpr std::int64_t largest_size = 32768;  // 2 GiB a matrix

std::int64_t parse_matrix_size(const std::string& text) {
  return parse_count("--sizes", text, 1, largest_size);
}

bool is_file_name(const std::string& text) {
  return text.find_first_of("./") != std::string::npos || std::filesystem::exists(text);
}

std::vector<bench::Shape> shapes_of(const std::string& text) {
  const std::vector<std::string>& sets = bench::shape_set_names();
  if (std::ranges::find(sets, text) != sets.end()) {
    return bench::shape_set(text);
  }
  if (text.find_first_not_of("-0123456789,") == std::string::npos) {
    return {bench::parse_shape("--shapes", text)};
  }
  if (!is_file_name(text)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--shapes: expected {}, M,N,K or a file, found '{}'", fmt::join(sets, ", "), text),
                did_you_mean(text, sets));
  }
  return bench::parse_shape_file(text, read_text(text));
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<bench::Shape> parse_bench_shapes(const std::vector<std::string>& values) {
  std::vector<bench::Shape> shapes;
  for (const std::string& value : values) {
    for (const std::string& part : split(value, ';')) {
      std::ranges::copy(shapes_of(part), std::back_inserter(shapes));
    }
  }
  return bench::without_repetitions(shapes);
}

std::vector<std::int64_t> parse_bench_sizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  if (text.find(':') == std::string::npos) {
    std::ranges::transform(split(text, ','), std::back_inserter(sizes), parse_matrix_size);
    return sizes;
  }
  const std::vector<std::string> range = split(text, ':');
  if (range.size() != 3) {
    throw Error(ErrorKind::bad_input, fmt::format("--sizes: expected FIRST:LAST:STEP, found '{}'", text),
                "for example 256:4096:256, or a list such as 1024,4096");
  }
  const std::int64_t first = parse_matrix_size(range[0]);
  const std::int64_t last = parse_matrix_size(range[1]);
  const std::int64_t step = parse_matrix_size(range[2]);
  if (last < first) {
    throw Error(ErrorKind::bad_input, fmt::format("--sizes: expected LAST of at least FIRST, found '{}'", text));
  }
  for (std::int64_t size = first; size <= last; size += step) {
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace tileloom::cli
