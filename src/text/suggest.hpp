// SPDX-License-Identifier: Apache-2.0
// The word a user probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tileloom {

// Damerau-Levenshtein distance in its optimal string alignment form: insertions, deletions, substitutions and swaps of
// neighbours, no substring edited twice.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, the first of equals; empty when none is within a third of its letters (at least 1).
// Words of which no letter is the same, as A and B, are not near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

// `did you mean X?`, or empty.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace tileloom
