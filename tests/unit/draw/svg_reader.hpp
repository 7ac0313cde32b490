// SPDX-License-Identifier: Apache-2.0
// SVG read back with expat, which refuses what is not well-formed: the cells of each panel, by their place.
#pragma once

#include <expat.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tileloom::test {

struct SvgCell {
  std::string colour;              // the class: c0 ... c7, cx
  std::vector<std::string> texts;  // the lines inside, from the top
  bool operator==(const SvgCell&) const = default;
};

struct Svg {
  std::string title;
  std::vector<std::string> references;                                   // attributes that lead out of the file
  std::map<std::string, std::map<std::pair<int, int>, SvgCell>> panels;  // by id; (row, column)
  std::map<std::string, std::vector<std::string>> others;                // texts by class: note, title, panel, axis
  std::vector<std::array<int, 4>> marks;                                 // row, column, rows, columns
};

namespace detail {

struct Box {
  std::string kind;
  int x, y, width, height;
};

class SvgReader {
 public:
  Svg read(const std::string& text) {
    XML_Parser parser = XML_ParserCreate(nullptr);
    XML_SetUserData(parser, this);
    XML_SetElementHandler(parser, &SvgReader::start, &SvgReader::end);
    XML_SetCharacterDataHandler(parser, &SvgReader::characters);
    const bool good = XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1) == XML_STATUS_OK;
    const std::string why = good ? "" : XML_ErrorString(XML_GetErrorCode(parser));
    const auto line = XML_GetCurrentLineNumber(parser);
    XML_ParserFree(parser);
    if (!good) {
      throw std::runtime_error("line " + std::to_string(line) + ": " + why);
    }
    return std::move(svg_);
  }

 private:
  using Attributes = std::map<std::string, std::string>;

  static void start(void* self, const char* name, const char** pairs) {
    Attributes attributes;
    for (; *pairs != nullptr; pairs += 2) {
      attributes[pairs[0]] = pairs[1];
    }
    static_cast<SvgReader*>(self)->open(name, attributes);
  }
  static void end(void* self, const char* name) { static_cast<SvgReader*>(self)->close(name); }
  static void characters(void* self, const char* text, int length) {
    static_cast<SvgReader*>(self)->text_.append(text, static_cast<std::size_t>(length));
  }

  void open(const std::string& name, const Attributes& a) {
    text_.clear();
    current_ = a;
    for (const auto& [key, value] : a) {
      if (key.find("href") != std::string::npos || value.find("url(") != std::string::npos) {
        svg_.references.push_back(value);
      }
    }
    if (name == "g") {
      group_ = a.at("id");
      boxes_.clear();
      labels_.clear();
      marks_.clear();
    } else if (name == "rect" && a.contains("class")) {
      const Box box{a.at("class"), number(a, "x"), number(a, "y"), number(a, "width"), number(a, "height")};
      (box.kind == "mark" ? marks_ : boxes_).push_back(box);
    }
  }

  void close(const std::string& name) {
    if (name == "title") {
      svg_.title = text_;
    } else if (name == "text" && current_.contains("class")) {
      svg_.others[current_.at("class")].push_back(text_);
    } else if (name == "text") {
      labels_.push_back({text_, number(current_, "x"), number(current_, "y"), 0, 0});
    } else if (name == "g" && group_ != "legend") {
      place();
    }
  }

  static int number(const Attributes& a, const std::string& key) { return std::stoi(a.at(key)); }

  // Boxes by row and column; each label belongs to the box around it.
  void place() {
    if (boxes_.empty()) {
      return;
    }
    int x0 = INT32_MAX;
    int y0 = INT32_MAX;
    for (const Box& b : boxes_) {
      x0 = std::min(x0, b.x);
      y0 = std::min(y0, b.y);
    }
    const int side = boxes_.front().width;
    auto& cells = svg_.panels[group_];
    for (const Box& b : boxes_) {
      const bool square = b.width == side && b.height == side && (b.x - x0) % side == 0 && (b.y - y0) % side == 0;
      if (!square || !cells.try_emplace({(b.y - y0) / side, (b.x - x0) / side}, SvgCell{b.kind, {}}).second) {
        throw std::runtime_error("a cell off the grid, or two in one place");
      }
    }
    for (const Box& l : labels_) {
      cells.at({(l.y - y0) / side, (l.x - x0) / side}).texts.push_back(l.kind);
    }
    for (const Box& m : marks_) {
      svg_.marks.push_back({(m.y - y0) / side, (m.x - x0) / side, m.height / side, m.width / side});
    }
  }

  Svg svg_;
  std::string text_, group_;
  Attributes current_;
  std::vector<Box> boxes_, labels_, marks_;
};

}  // namespace detail

// Throws std::runtime_error for what is not well-formed XML.
inline Svg read_svg(const std::string& text) {
  return detail::SvgReader().read(text);
}

}  // namespace tileloom::test
