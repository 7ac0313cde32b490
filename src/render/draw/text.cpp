// SPDX-License-Identifier: Apache-2.0
#include "render/draw/text.hpp"

#include <cstdint>

namespace tileloom::render::draw {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// Bytes of the UTF-8 sequence that the text begins with; 0 where it is none, or no character of XML.
std::size_t sequence(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) {
    return lead >= 0x20 || lead == '\t' || lead == '\n' ? 1 : 0;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) {
    return 0;
  }
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) {
      return 0;
    }
    code = code << 6U | (byte_at(text, i) & 0x3FU);
  }
  const std::uint32_t least = length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U;
  const bool surrogate = code >= 0xD800U && code <= 0xDFFFU;
  return code < least || code > 0x10FFFFU || surrogate || code == 0xFFFEU || code == 0xFFFFU ? 0 : length;
}

std::string_view xml_entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

std::string_view latex_command(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    case '$':
      return "\\$";
    case '&':
      return "\\&";
    case '#':
      return "\\#";
    case '_':
      return "\\_";
    case '%':
      return "\\%";
    default:
      return {};
  }
}

bool printable(char c) {
  return c >= ' ' && c <= '~';
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence(text);
    const std::string_view entity = xml_entity(text.front());
    out += length == 0 ? replacement : entity.empty() ? text.substr(0, length) : entity;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string latex_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view command = latex_command(c);
    out += !printable(c) ? "?" : command.empty() ? std::string(1, c) : std::string(command);
  }
  return out;
}

std::string latex_comment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += printable(c) ? c : '?';
  }
  return out;
}

}  // namespace tileloom::render::draw
