// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/results.hpp"
#include "cli/arguments.hpp"
#include "cli/bench_shapes.hpp"
#include "kernels/instances.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

using bench::Contender;
using bench::ContenderKind;

constexpr std::int64_t most_stages = 64;  // the instance says what it really has
constexpr std::int64_t widest_band = 1 << 20;

// One part of the list: `name`, and what is written behind it.
struct Item {
  std::string name, suffix;
  int stages = 0;
  std::optional<std::uint32_t> band = {};
};

Item parse_item(const std::string& text) {
  Item item;
  const std::size_t name_end = std::min(text.find_first_of("@/"), text.size());
  item.name = text.substr(0, name_end);
  item.suffix = text.substr(name_end);
  const std::size_t slash = item.suffix.find('/');
  if (slash != std::string::npos) {
    item.band = static_cast<std::uint32_t>(
        parse_count("--kernels: the band of " + item.name, item.suffix.substr(slash + 1), 0, widest_band));
  }
  if (item.suffix.starts_with("@")) {
    item.stages = static_cast<int>(
        parse_count("--kernels: the stages of " + item.name, item.suffix.substr(1, slash - 1), 1, most_stages));
  }
  return item;
}

// The names that `all` and PREFIX* stand for, or the name itself.
std::vector<std::string> names_of(const std::string& name, Accumulate accumulate) {
  const bool many = name == "all" || name.ends_with("*");
  if (!many) {
    return {name};
  }
  const std::string prefix = name == "all" ? "" : name.substr(0, name.size() - 1);
  std::vector<std::string> names;
  for (const kernels::KernelInstance& instance : kernels::instances()) {
    if (instance.accumulate == accumulate && instance.name.starts_with(prefix)) {
      names.emplace_back(instance.name);
    }
  }
  if (names.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--kernels: expected names of kernels that sum in {} at '{}', found none",
                            to_string(accumulate), name),
                "tileloom info lists the kernels that there are");
  }
  return names;
}

Contender contender_of(const std::string& name, const Item& item) {
  Contender contender;
  contender.label = name + item.suffix;
  contender.options.kernel = name == "auto" ? "" : name;
  contender.options.stages = item.stages;
  contender.options.raster_width = item.band;
  return contender;
}

void add_once(std::vector<Contender>& contenders, const Contender& one, const std::string& option) {
  if (std::ranges::find(contenders, one.label, &Contender::label) != contenders.end()) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected each once, found {} again", option, one.label));
  }
  contenders.push_back(one);
}

// Throws what the library says of a kernel or stages that there are not.
void try_out(const Contender& contender, const bench::Shape& shape, Accumulate accumulate) {
  GemmOptions options = contender.options;
  options.backend = Backend::emulator;
  (void)configure(bench::problem_of(shape, accumulate), options);
}

}  // namespace

std::vector<Contender> parse_kernels(const std::string& text, const bench::Shape& shape, Accumulate accumulate) {
  std::vector<Contender> contenders;
  for (const std::string& part : split(text, ',')) {
    const Item item = parse_item(part);
    if (item.name.empty()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("--kernels: expected names with commas between them, found '{}'", text),
                  "for example auto,multistage_128x256x32_f16@3");
    }
    for (const std::string& name : names_of(item.name, accumulate)) {
      const Contender contender = contender_of(name, item);
      try_out(contender, shape, accumulate);
      add_once(contenders, contender, "--kernels");
    }
  }
  return contenders;
}

std::vector<Contender> parse_compare(const std::string& text) {
  const std::array kinds{ContenderKind::cublas, ContenderKind::cublaslt_best};
  const std::vector<std::string> words{"cublas", "cublaslt-best", "none"};
  std::vector<Contender> contenders;
  const std::vector<std::string> parts = split(text, ',');
  for (const std::string& part : parts) {
    const std::size_t word = parse_word("--compare", part, words);
    if (word < kinds.size()) {
      add_once(contenders, {std::string(to_string(kinds[word])), {}, kinds[word]}, "--compare");
    } else if (parts.size() > 1) {
      throw Error(ErrorKind::bad_input, fmt::format("--compare: expected none alone, found '{}'", text));
    }
  }
  return contenders;
}

}  // namespace tileloom::cli
