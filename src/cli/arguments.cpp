// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

// An integer from `least` to `most`, in decimal digits: no exponent, no space. `largest` is how the message writes
// `most`.
template <class Integer>
Integer parse_integer(const std::string& option, const std::string& text, Integer least, Integer most,
                      const std::string& largest) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected an integer from {} to {}, found '{}'", option, least, largest, text));
  }
  return value;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    list += (i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return list;
}

}  // namespace

std::int64_t parse_size(const std::string& option, const std::string& text) {
  return parse_integer<std::int64_t>(option, text, 0, std::numeric_limits<std::int64_t>::max(), "2^63 - 1");
}

std::uint64_t parse_seed(const std::string& option, const std::string& text) {
  return parse_integer<std::uint64_t>(option, text, 0, std::numeric_limits<std::uint64_t>::max(), "2^64 - 1");
}

std::int64_t parse_count(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  return parse_integer(option, text, least, most, std::to_string(most));
}

std::size_t parse_word(const std::string& option, const std::string& text, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, text);
  if (found == words.end()) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected {}, found '{}'", option, list_of(words), text),
                did_you_mean(text, words));
  }
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace tileloom::cli
