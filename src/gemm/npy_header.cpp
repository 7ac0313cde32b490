// SPDX-License-Identifier: Apache-2.0
#include "gemm/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "tileloom/error.hpp"

namespace tileloom::npy {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t max_rank = 64;

// Reads the dictionary {'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }; nothing else of Python.
class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      entry(string());
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) {
      fail("the end of the header");
    }
    require_all();
    return {*descr_, *fortran_order_, *shape_, 0};
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view rest = text_.substr(at_);
    throw Error(ErrorKind::bad_input, fmt::format("{}: header: expected {} at character {}, found {}", name_, expected,
                                                  at_, rest.empty() ? "its end" : "'" + printable(rest) + "'"));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  bool accept(char c) {
    skip_space();
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found ? 1 : 0;
    return found;
  }
  void expect(char c) {
    if (!accept(c)) {
      fail(fmt::format("'{}'", c));
    }
  }
  bool accept_word(std::string_view word) {
    skip_space();
    const bool found = text_.substr(at_).starts_with(word);
    at_ += found ? word.size() : 0;
    return found;
  }

  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') {
      fail("a quoted string");
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos || text_.substr(at_, end - at_).find('\\') != std::string_view::npos) {
      fail("a quoted string");
    }
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  std::int64_t dimension() {
    skip_space();
    std::int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      fail("a dimension from 0 to 2^63 - 1");
    }
    at_ += static_cast<std::size_t>(end - begin);
    accept('L');  // Python 2 wrote long integers so
    return value;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      if (values.size() == max_rank) {
        fail(fmt::format("at most {} dimensions", max_rank));
      }
      values.push_back(dimension());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  bool boolean() {
    if (accept_word("True")) {
      return true;
    }
    if (!accept_word("False")) {
      fail("True or False");
    }
    return false;
  }

  template <class T>
  void set(std::optional<T>& field, const std::string& key, T value) {
    if (field) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: header: expected '{}' once, found it twice", name_, key));
    }
    field = std::move(value);
  }

  void entry(const std::string& key) {
    expect(':');
    if (key == "descr") {
      skip_space();
      if (at_ < text_.size() && text_[at_] == '[') {
        throw Error(ErrorKind::bad_input, name_ + ": dtype: expected float16 or float32, found a structured type",
                    "save one field of it as numpy.float16");
      }
      set(descr_, key, string());
    } else if (key == "fortran_order") {
      set(fortran_order_, key, boolean());
    } else if (key == "shape") {
      set(shape_, key, tuple());
    } else {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: header: expected the keys descr, fortran_order and shape, found '{}'", name_,
                              printable(key)));
    }
  }

  void require_all() const {
    const char* missing = !descr_ ? "descr" : !fortran_order_ ? "fortran_order" : !shape_ ? "shape" : nullptr;
    if (missing != nullptr) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: header: expected the key {}, found none", name_, missing));
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t most = 24;
  std::string safe;
  for (const char c : text.substr(0, most)) {
    const bool plain = c >= ' ' && c <= '~';
    safe += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > most ? safe + "..." : safe;
}

Header parse_header(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!file.starts_with(magic)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected a .npy file (\\x93NUMPY), found {}", name,
                            file.empty() ? "an empty file" : "'" + printable(file.substr(0, magic.size())) + "'"),
                "write one with numpy.save");
  }
  const unsigned major = file.size() > magic.size() ? static_cast<unsigned char>(file[magic.size()]) : 0;
  const std::size_t length_at = magic.size() + 2;
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t text_at = length_at + length_bytes;
  if (file.size() < text_at) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected a header, found the file's end after {} bytes", name, file.size()));
  }
  if (major < 1 || major > 3 || file[magic.size() + 1] != 0) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected .npy version 1.0, 2.0 or 3.0, found {}.{}", name, major,
                                                  static_cast<unsigned char>(file[magic.size() + 1])));
  }
  const std::size_t length = little_endian(file.substr(length_at, length_bytes));
  if (length > max_header_bytes - text_at) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: header: expected at most {} bytes, found {}", name,
                                                  max_header_bytes - text_at, length));
  }
  if (length > file.size() - text_at) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: header: expected {} bytes, found the file's end after {}", name,
                                                  length, file.size() - text_at));
  }
  Header header = Parser(file.substr(text_at, length), name).parse();
  header.data_offset = text_at + length;
  return header;
}

std::string format_header(std::string_view descr, std::span<const std::int64_t> shape) {
  constexpr std::size_t alignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape_text(shape));
  const std::size_t before = magic.size() + 4;
  text.append((alignment - (before + text.size() + 1) % alignment) % alignment, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFFU);
  header += static_cast<char>(text.size() >> 8U);
  return header + text;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace tileloom::npy
