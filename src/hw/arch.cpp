// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/arch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>

#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

// Volta and later: the architectures whose tensor cores take half-precision inputs.
constexpr std::array known_archs{70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 120, 121};

std::string known_list() {
  std::string list;
  for (const int sm : known_archs) {
    list += (list.empty() ? "" : ", ") + to_string(Arch{sm});
  }
  return list;
}

std::string_view without_prefix(std::string_view text) {
  for (const std::string_view prefix : {"compute_", "sm_", "sm"}) {
    if (text.starts_with(prefix)) {
      return text.substr(prefix.size());
    }
  }
  return text;
}

// `a`: features of this architecture only; `f`: of its family.
std::string_view without_suffix(std::string_view text) {
  const bool has_suffix = text.ends_with('a') || text.ends_with('f');
  return has_suffix ? text.substr(0, text.size() - 1) : text;
}

// Chips and generations in lower case, without spaces. NVIDIA, "CUDA GPU Compute Capability".
struct Chip {
  std::string_view name;
  int sm;
};
constexpr std::array chips{
    Chip{"volta", 70},      Chip{"v100", 70},        Chip{"titanv", 70},   Chip{"xavier", 72},
    Chip{"turing", 75},     Chip{"t4", 75},          Chip{"t4g", 75},      Chip{"titanrtx", 75},
    Chip{"ampere", 80},     Chip{"a100", 80},        Chip{"a800", 80},     Chip{"a30", 80},
    Chip{"a2", 86},         Chip{"a10", 86},         Chip{"a10g", 86},     Chip{"a16", 86},
    Chip{"a40", 86},        Chip{"rtxa4000", 86},    Chip{"rtxa5000", 86}, Chip{"rtxa6000", 86},
    Chip{"a6000", 86},      Chip{"orin", 87},        Chip{"ada", 89},      Chip{"adalovelace", 89},
    Chip{"l4", 89},         Chip{"l20", 89},         Chip{"l40", 89},      Chip{"l40s", 89},
    Chip{"rtx6000ada", 89}, Chip{"hopper", 90},      Chip{"h20", 90},      Chip{"h100", 90},
    Chip{"h200", 90},       Chip{"h800", 90},        Chip{"gh200", 90},    Chip{"blackwell", 100},
    Chip{"b100", 100},      Chip{"b200", 100},       Chip{"gb200", 100},   Chip{"b300", 103},
    Chip{"gb300", 103},     Chip{"rtxpro6000", 120}, Chip{"gb10", 121},    Chip{"dgxspark", 121}};

// GeForce RTX by its series: rtx4090, rtx4070ti, rtx4080super.
struct Series {
  std::string_view prefix;
  int sm;
};
constexpr std::array geforce{Series{"rtx20", 75}, Series{"rtx30", 86}, Series{"rtx40", 89}, Series{"rtx50", 120}};

// Lower case, without spaces and signs, and without the maker's and the line's names.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  for (const std::string_view word : {"nvidia", "tesla", "geforce", "quadro", "jetson"}) {
    if (result.starts_with(word)) result.erase(0, word.size());
  }
  return result;
}

std::optional<Arch> by_chip(std::string_view text) {
  const std::string name = plain(text);
  const auto* const chip = std::ranges::find(chips, name, &Chip::name);
  if (chip != chips.end()) return Arch{chip->sm};
  for (const Series& series : geforce) {
    const std::string_view rest = std::string_view(name).substr(std::min(name.size(), series.prefix.size() + 2));
    const bool known_rest = rest.empty() || rest == "ti" || rest == "super" || rest == "tisuper" || rest == "laptop";
    if (name.starts_with(series.prefix) && name.size() >= series.prefix.size() + 2 && known_rest) {
      return Arch{series.sm};
    }
  }
  return std::nullopt;
}

std::optional<Arch> by_number(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view digits = without_suffix(without_prefix(lower));
  int sm = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sm);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0';
  const bool known = is_number && std::ranges::find(known_archs, sm) != known_archs.end();
  return known ? std::optional(Arch{sm}) : std::nullopt;
}

}  // namespace

Arch parse_arch(std::string_view text) {
  if (const auto arch = by_number(text)) return *arch;
  if (const auto arch = by_chip(text)) return *arch;
  throw Error(ErrorKind::bad_input,
              "architecture: expected one of " + known_list() + "; found '" + std::string(text) + "'",
              "write it as nvcc does, for example sm_90, or name a chip, for example H100");
}

std::string to_string(Arch arch) {
  return "sm_" + std::to_string(arch.sm);
}

}  // namespace tileloom::hw
