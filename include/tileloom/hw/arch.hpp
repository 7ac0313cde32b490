// SPDX-License-Identifier: Apache-2.0
// GPU architectures by compute capability: `sm_80`, `sm_89`, `sm_90`.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace tileloom::hw {

// A compute capability as one number: 80 for 8.0, 90 for 9.0.
struct Arch {
  int sm = 0;
  auto operator<=>(const Arch&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm of clang-tidy 14
};

inline constexpr Arch sm_80{80};
inline constexpr Arch sm_86{86};
inline constexpr Arch sm_89{89};
inline constexpr Arch sm_90{90};

// `sm_90`, `sm90`, `90`, `sm_90a`, `sm_90f` and `compute_90` all give Arch{90}; so do chips and generations of it,
// `H100`, `NVIDIA H200` and `Hopper`. Any case. A generation of several (`Ampere`) means its first (8.0). Throws
// Error(bad_input), naming the text, for anything else and for a number that is no architecture that Tileloom knows
// (the message lists those).
[[nodiscard]] Arch parse_arch(std::string_view text);

// `sm_90`.
[[nodiscard]] std::string to_string(Arch arch);

}  // namespace tileloom::hw
