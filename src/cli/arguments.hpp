// SPDX-License-Identifier: Apache-2.0
// Values of options, with one text for a wrong one: option, expected, found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tileloom::cli {

// Throw Error(bad_input): `--m: expected an integer from 0 to 2^63 - 1, found 'ten'`.
[[nodiscard]] std::int64_t parse_size(const std::string& option, const std::string& text);
// An integer from `least` to `most`, both in the message.
[[nodiscard]] std::int64_t parse_count(const std::string& option, const std::string& text, std::int64_t least,
                                       std::int64_t most);
[[nodiscard]] std::uint64_t parse_seed(const std::string& option, const std::string& text);

// The place of `text` among `words`. Throws Error(bad_input): `--dist: expected normal, uniform or integers, found
// 'norml'`, with the nearest word as hint.
[[nodiscard]] std::size_t parse_word(const std::string& option, const std::string& text,
                                     const std::vector<std::string>& words);

}  // namespace tileloom::cli
