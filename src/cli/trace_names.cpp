// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_names.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "cli/arguments.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

using trace::Operand;
using trace::StageLayouts;

namespace {

constexpr std::string_view letters = "ABDC";
constexpr std::array operands{Operand::a, Operand::b, Operand::c, Operand::c};

// The pieces between commas.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> pieces(1);
  for (const char c : text) {
    c == ',' ? pieces.emplace_back() : pieces.back() += c;
  }
  return pieces;
}

// Names of the same tensors in other code; of several for one name the first that the kernel has.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"gD", "gC"},
    {"sD", "sC"},
    {"tDgD", "tCgC"},
    {"tCgD", "tCgC"},
    {"tDrD", "tCrC"},
    {"tCrD", "tCrC"},
    {"tCrD_r2s", "tCrC_r2s"},
    {"tCrC_r2sx", "tCrC_r2s"},
    {"tCsD_r2s", "tCsC_r2s"},
    {"tCsD_s2g", "tCsC_s2g"},
    {"tCgD_s2g", "tCgC_s2g"},
    {"tCgC_s2gx", "tCgC_s2g"},
    {"tAgA_copy", "tAgA"},
    {"tAsA_copy", "tAsA"},
    {"tBgB_copy", "tBgB"},
    {"tBsB_copy", "tBsB"},
    {"tCrA_view", "tXrA"},
    {"tCrB_view", "tXrB"},
    {"tCsA_mma", "tCsA"},
    {"tCsB_mma", "tCsB"},
    {"tAgA", "tCgA"},  // where threads load from global memory what the MMA takes
    {"tBgB", "tCgB"},
};

std::string resolve(const std::string& name, const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) {
    return name;
  }
  for (const auto& [alias, own] : aliases) {
    if (alias == name && std::ranges::find(known, own) != known.end()) {
      return std::string(own);
    }
  }
  std::string all;
  for (const std::string& k : known) {
    all += (all.empty() ? "" : ", ") + k;
  }
  const std::string meant = did_you_mean(name, known);
  throw Error(ErrorKind::bad_input, "--tensor: the kernel has no tensor '" + name + "'",
              meant.empty() ? "it has " + all : meant);
}

}  // namespace

ElementName parse_element(const std::string& text) {
  const auto refuse = [&]() -> ElementName {
    throw Error(ErrorKind::bad_input, "--element: expected OPERAND:ROW,COLUMN or with ,K-TILE, found '" + text + "'",
                "for example A:0,9: row and column in the CTA's tile, B's row is n");
  };
  const std::size_t letter = letters.find(text.front());
  if (letter == std::string::npos || text.size() < 2 || text[1] != ':') {
    return refuse();
  }
  const std::vector<std::string> numbers = split(text.substr(2));
  const std::size_t most = operands.at(letter) == Operand::c ? 2 : 3;
  if (numbers.size() < 2 || numbers.size() > most) {
    return refuse();
  }
  const auto number = [&](std::size_t i, const char* what) {
    return parse_count(std::string("--element, ") + what, numbers[i], 0, INT32_MAX);
  };
  return {operands.at(letter),
          {static_cast<int>(number(0, "row")), static_cast<int>(number(1, "column"))},
          numbers.size() > 2 ? number(2, "k-tile") : 0};
}

trace::CtaIndex parse_cta(const std::string& text) {
  const std::vector<std::string> numbers = split(text);
  if (numbers.size() != 2) {
    throw Error(ErrorKind::bad_input, "--cta: expected M,N, found '" + text + "'",
                "for example --cta 3,5: the CTA of the tile 3 down and 5 across");
  }
  return {parse_count("--cta, M", numbers[0], 0, INT32_MAX), parse_count("--cta, N", numbers[1], 0, INT32_MAX)};
}

Operand parse_operand(const std::string& option, const std::string& text) {
  const std::size_t letter = text.size() == 1 ? letters.find(text.front()) : std::string::npos;
  if (letter == std::string::npos) {
    throw Error(ErrorKind::bad_input, option + ": expected A, B or D, found '" + text + "'");
  }
  return operands.at(letter);
}

std::vector<StageLayouts> named_tensors(const std::vector<StageLayouts>& stages,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const StageLayouts& stage : stages) {
    for (const trace::NamedLayout& t : stage.tensors) {
      known.push_back(t.name);
    }
  }
  std::set<std::string> wanted;
  for (const std::string& list : names) {
    for (const std::string& name : split(list)) {
      wanted.insert(resolve(name, known));
    }
  }
  std::vector<StageLayouts> found;
  for (StageLayouts stage : stages) {
    std::erase_if(stage.tensors, [&](const trace::NamedLayout& t) { return !wanted.contains(t.name); });
    if (!stage.tensors.empty()) {
      found.push_back(std::move(stage));
    }
  }
  return found;
}

}  // namespace tileloom::cli
