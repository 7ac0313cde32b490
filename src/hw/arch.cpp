// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/arch.hpp"

#include <algorithm>
#include <array>
#include <charconv>

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

}  // namespace

Arch parse_arch(std::string_view text) {
  const std::string_view digits = without_suffix(without_prefix(text));
  int sm = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sm);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  if (!is_number || digits.front() == '0' || std::ranges::find(known_archs, sm) == known_archs.end()) {
    throw Error(ErrorKind::bad_input,
                "architecture: expected one of " + known_list() + "; found '" + std::string(text) + "'",
                "write it as nvcc does, for example sm_90");
  }
  return Arch{sm};
}

std::string to_string(Arch arch) {
  return "sm_" + std::to_string(arch.sm);
}

}  // namespace tileloom::hw
