// SPDX-License-Identifier: Apache-2.0
// What --arg, --save and --expect say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "cli/arguments.hpp"
#include "cli/emulate_run.hpp"
#include "cli/follow.hpp"
#include "gemm/generate.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::bad_input, message, hint);
}

// NAME=REST.
std::pair<std::string, std::string> split_name(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    refuse(fmt::format("{}: expected NAME=..., found '{}'", option, text), "tileloom emulate --help has examples");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::int64_t> parse_shape(const std::string& text, const std::string& what) {
  std::vector<std::int64_t> shape;
  for (const char *at = text.data(), *const end = at + text.size();;) {
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 0 || (stop != end && *stop != ',')) {
      refuse(fmt::format("{}: expected sizes with commas between them, found '{}'", what, text), "f16[1024,1024]");
    }
    shape.push_back(extent);
    if (stop == end) {
      return shape;
    }
    at = stop + 1;
  }
}

std::size_t checked_bytes(const BufferArgument& buffer, const std::string& what) {
  auto bytes = static_cast<std::int64_t>(buffer.type->bytes());
  for (const std::int64_t extent : buffer.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      bytes = -1;
      break;
    }
  }
  constexpr std::int64_t most = std::int64_t{1} << 38;
  if (bytes < 0 || bytes > most) {
    refuse(fmt::format("{}: expected a buffer of at most 2^38 bytes, found more", what));
  }
  return static_cast<std::size_t>(bytes);
}

// `normal:7`, of element i.
class Values {
 public:
  Values(const std::string& text, const ElementType& type, std::uint64_t stream, const std::string& what) {
    const std::size_t colon = text.find(':');
    const std::string word = text.substr(0, colon);
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) {
      refuse(fmt::format("{}: expected normal, uniform, integers, zeros, iota or nan, found '{}'", what, word),
             did_you_mean(word, words));
    }
    word_ = static_cast<std::size_t>(found - words.begin());
    if (!type.real && (word_ < 2 || word == "nan")) {
      refuse(fmt::format("{}: expected integers, zeros or iota for {}, found '{}'", what, type.name, word));
    }
    std::uint64_t seed = 0;
    if (colon != std::string::npos) {
      const std::string digits = text.substr(colon + 1);
      const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
      if (error != std::errc() || stop != digits.data() + digits.size()) {
        refuse(fmt::format("{}: expected a seed from 0 to 2^64 - 1, found '{}'", what, digits));
      }
    }
    generator_.emplace(word_ < 3 ? static_cast<Distribution>(word_) : Distribution::normal, seed, stream);
    lift_ = !type.real && type.name[0] == 'u' ? 2 : 0;  // integers of unsigned types: 0 to 4
  }

  [[nodiscard]] long double operator()(std::int64_t i) const {
    switch (word_) {
      case 3:
        return 0;
      case 4:
        return static_cast<long double>(i);
      case 5:
        return std::nanl("");
      default:
        return generator_->value(i) + lift_;
    }
  }

 private:
  inline static const std::vector<std::string> words{"normal", "uniform", "integers", "zeros", "iota", "nan"};
  std::size_t word_ = 0;
  double lift_ = 0;
  std::optional<Generator> generator_;
};

// TYPE[SHAPE] or TYPE[SHAPE]:VALUES.
BufferArgument parse_buffer(const ElementType& type, const std::string& text, std::uint64_t stream,
                            const std::string& what) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (close == std::string::npos) {
    refuse(fmt::format("{}: expected ']' after the sizes, found '{}'", what, text));
  }
  BufferArgument buffer{&type, parse_shape(text.substr(open + 1, close - open - 1), what), {}, true};
  buffer.bytes.resize(checked_bytes(buffer, what));
  const std::string rest = text.substr(close + 1);
  if (rest.empty()) {
    buffer.written = false;
    return buffer;
  }
  if (rest[0] != ':') {
    refuse(fmt::format("{}: expected ':' and values after the sizes, found '{}'", what, rest));
  }
  const Values values(rest.substr(1), type, stream, what);
  for (std::size_t at = 0, i = 0; at < buffer.bytes.size(); at += type.bytes(), ++i) {
    store_element(type, values(static_cast<std::int64_t>(i)), buffer.bytes.data() + at);
  }
  return buffer;
}

std::vector<std::byte> parse_hex(const std::string& text, const std::string& what) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    const auto [stop, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc() || stop != text.data() + i + 2) {
      break;
    }
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (2 * bytes.size() != text.size()) {
    refuse(fmt::format("{}: expected two hexadecimal digits a byte, found '{}'", what, text));
  }
  return bytes;
}

ValueArgument parse_by_value(const ElementType& type, const std::string& text, const std::string& what) {
  const std::optional<long double> value = parse_value(type, text);
  if (!value) {
    refuse(fmt::format("{}: expected a value of {}, found '{}'", what, type.name, text));
  }
  ValueArgument made{std::string(type.name), std::vector<std::byte>(type.bytes())};
  store_element(type, *value, made.bytes.data());
  return made;
}

std::size_t find_argument(const std::string& name, const std::vector<KernelArgument>& arguments,
                          const std::string& what) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) {
      return i;
    }
    names.push_back(arguments[i].name);
  }
  refuse(fmt::format("{}: no --arg is named '{}'", what, name), did_you_mean(name, names));
}

// @NAME or @NAME+BYTES.
AliasArgument parse_alias(const std::string& text, const std::vector<KernelArgument>& before, const std::string& what) {
  const std::size_t plus = text.find('+');
  AliasArgument made;
  made.argument = find_argument(text.substr(1, plus - 1), before, what);
  if (!std::holds_alternative<BufferArgument>(before[made.argument].what)) {
    refuse(fmt::format("{}: expected the name of a buffer after @, found {}", what, text.substr(1)));
  }
  if (plus != std::string::npos) {
    const std::string digits = text.substr(plus + 1);
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), made.offset);
    if (error != std::errc() || stop != digits.data() + digits.size()) {
      refuse(fmt::format("{}: expected a number of bytes after +, found '{}'", what, digits));
    }
  }
  return made;
}

BufferArgument read_buffer(const std::string& path) {
  npy::Array array = npy::read_array(path);
  return {&element_type(array.type), std::move(array.shape), std::move(array.bytes), true};
}

}  // namespace

KernelArgument parse_kernel_argument(const std::string& text, const std::vector<KernelArgument>& before) {
  const auto [name, rest] = split_name("--arg", text);
  const std::string what = "--arg " + name;
  if (std::ranges::any_of(before, [&, &n = name](const KernelArgument& a) { return a.name == n; })) {
    refuse(fmt::format("{}: expected a name that no other --arg has", what));
  }
  if (rest[0] == '@') {
    return {name, rest, parse_alias(rest, before, what)};
  }
  if (rest.ends_with(".npy")) {
    return {name, rest, read_buffer(rest)};
  }
  const std::size_t word_end = std::min(rest.find_first_of(":["), rest.size());
  const std::string word = rest.substr(0, word_end);
  if (word == "bytes" && word_end < rest.size()) {
    return {name, rest, ValueArgument{"bytes", parse_hex(rest.substr(word_end + 1), what)}};
  }
  const ElementType* type = find_element_type(word);
  if (type == nullptr || word_end == rest.size()) {
    refuse(
        fmt::format("{}: expected TYPE[SIZES]:VALUES, a file that ends in .npy, TYPE:VALUE, bytes:HEX or @NAME, "
                    "found '{}'",
                    what, rest),
        type == nullptr ? "types are " + element_type_list() : "for example " + word + "[64]:normal or " + word + ":1");
  }
  if (rest[word_end] == '[') {
    return {name, rest, parse_buffer(*type, rest, before.size(), what)};
  }
  return {name, rest, parse_by_value(*type, rest.substr(word_end + 1), what)};
}

std::string type_text(const KernelArgument& argument, const std::vector<KernelArgument>& all) {
  if (const auto* alias = std::get_if<AliasArgument>(&argument.what)) {
    return "@" + all[alias->argument].name;
  }
  if (const auto* value = std::get_if<ValueArgument>(&argument.what)) {
    return value->type;
  }
  const auto& buffer = std::get<BufferArgument>(argument.what);
  return fmt::format("{}[{}]", buffer.type->name, fmt::join(buffer.shape, ","));
}

namespace {

std::size_t find_buffer(const std::string& name, const std::vector<KernelArgument>& arguments,
                        const std::string& what) {
  const std::size_t found = find_argument(name, arguments, what);
  if (!std::holds_alternative<BufferArgument>(arguments[found].what)) {
    refuse(fmt::format("{}: expected a buffer, {} is {}", what, name, type_text(arguments[found], arguments)));
  }
  return found;
}

}  // namespace

SaveRequest parse_save(const std::string& text, const std::vector<KernelArgument>& arguments) {
  const auto [name, path] = split_name("--save", text);
  return {find_buffer(name, arguments, "--save " + name), path};
}

ExpectRequest parse_expect(const std::string& text, const std::vector<KernelArgument>& arguments) {
  const auto [name, rest] = split_name("--expect", text);
  const std::string what = "--expect " + name;
  ExpectRequest made;
  made.argument = find_buffer(name, arguments, what);
  made.path = rest;
  if (const std::size_t colon = rest.rfind(':'); colon != std::string::npos && !rest.ends_with(".npy")) {
    made.path = rest.substr(0, colon);
    const std::optional<long double> tolerance = parse_value(element_type(npy::Type::f64), rest.substr(colon + 1));
    if (!tolerance || !(*tolerance >= 0)) {
      refuse(fmt::format("{}: expected a tolerance of 0 or more, found '{}'", what, rest.substr(colon + 1)));
    }
    made.tolerance = *tolerance;
  }
  made.reference = npy::read_array(made.path);
  const auto& buffer = std::get<BufferArgument>(arguments[made.argument].what);
  if (made.reference.shape != buffer.shape) {
    refuse(fmt::format("{}: expected the shape of {}, ({}), found ({}) in {}", what, name, fmt::join(buffer.shape, ","),
                       fmt::join(made.reference.shape, ","), made.path));
  }
  return made;
}

emu::Delivery parse_delivery(const std::string& text) {
  if (text.starts_with("seed:")) {
    return {emu::Delivery::When::seeded, parse_seed("--delivery seed", text.substr(5))};
  }
  constexpr std::array when{emu::Delivery::When::late, emu::Delivery::When::early};
  return {when[parse_word("--delivery", text, {"late", "early", "seed:N"})], 0};
}

emu::FollowOptions parse_followed_argument(const std::string& text, const std::vector<KernelArgument>& arguments) {
  emu::FollowOptions options = parse_followed(text);
  std::string names;
  for (const KernelArgument& argument : arguments) {
    if (argument.name == options.buffers.front() && std::holds_alternative<BufferArgument>(argument.what)) {
      return options;
    }
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  refuse(fmt::format("--follow: no --arg is named '{}'", options.buffers.front()), "they are " + names);
}

}  // namespace tileloom::cli
