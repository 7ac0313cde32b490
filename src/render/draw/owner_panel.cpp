// SPDX-License-Identifier: Apache-2.0
#include "render/draw/owner_panel.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tileloom::render::draw {

namespace {

constexpr const char* several = "T5 +1: T5 and one more thread hold the element";

Cell owner_cell(std::vector<hw::Holding> holders) {
  if (holders.empty()) {
    return {};
  }
  std::ranges::sort(holders, {}, [](const hw::Holding& h) { return std::pair(h.thread, h.value); });
  const hw::Holding& first = holders.front();
  std::string text = fmt::format("T{}", first.thread);
  if (holders.size() > 1) {
    text += fmt::format(" +{}", holders.size() - 1);
  }
  return {.text = std::move(text),
          .detail = fmt::format("V{}", first.value),
          .colour = first.thread % 8,
          .holders = std::move(holders)};
}

}  // namespace

std::array<std::string, 8> modulo_names() {
  std::array<std::string, 8> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = std::to_string(i);
  }
  return names;
}

Picture owner_picture(std::string title) {
  return {.title = std::move(title), .key = "thread mod 8", .names = modulo_names()};
}

void add_panel(Picture& picture, Panel panel, const Holders& holders) {
  check_cell_count(cell_count(picture) + std::int64_t{panel.rows} * panel.columns);
  bool shared = false;
  for (int r = 0; r < panel.rows; ++r) {
    for (int c = 0; c < panel.columns; ++c) {
      panel.cells.push_back(owner_cell(holders(r, c)));
      shared = shared || panel.cells.back().holders.size() > 1;
    }
  }
  panel.row_block = panel.rows > 8 ? 8 : 0;
  panel.column_block = panel.columns > 8 ? 8 : 0;
  if (shared && std::ranges::find(picture.notes, several) == picture.notes.end()) {
    picture.notes.emplace_back(several);
  }
  picture.panels.push_back(std::move(panel));
}

}  // namespace tileloom::render::draw
