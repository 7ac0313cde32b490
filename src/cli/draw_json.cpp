// SPDX-License-Identifier: Apache-2.0
#include "cli/draw_json.hpp"

namespace tileloom::cli {

using Json = nlohmann::ordered_json;
using namespace render::draw;

namespace {

Json cell_json(const Panel& panel, std::size_t i) {
  const Cell& cell = panel.cells[i];
  const auto columns = static_cast<std::size_t>(panel.columns);
  Json json = {{"row", i / columns * static_cast<std::size_t>(panel.row_step)}, {"column", i % columns}};
  json["text"] = cell.text;
  if (!cell.detail.empty()) {
    json["detail"] = cell.detail;
  }
  json["colour"] = cell.colour == blank ? Json(nullptr) : Json(cell.colour);
  if (!cell.holders.empty()) {
    json["holders"] = Json::array();
    for (const hw::Holding& h : cell.holders) {
      json["holders"].push_back({{"thread", h.thread}, {"value", h.value}});
    }
  }
  return json;
}

Json panel_json(const Panel& panel) {
  Json json = {{"name", panel.name},
               {"title", panel.title},
               {"at", {panel.row, panel.column}},
               {"rows", panel.rows},
               {"columns", panel.columns},
               {"row_block", panel.row_block},
               {"column_block", panel.column_block},
               {"marks", Json::array()},
               {"cells", Json::array()}};
  for (const Mark& m : panel.marks) {
    json["marks"].push_back({{"row", m.row}, {"column", m.column}, {"rows", m.rows}, {"columns", m.columns}});
  }
  for (std::size_t i = 0; i < panel.cells.size(); ++i) {
    json["cells"].push_back(cell_json(panel, i));
  }
  return json;
}

}  // namespace

Json picture_json(const Picture& picture) {
  Json json = {{"title", picture.title}, {"notes", picture.notes}, {"colours", Json::object()}};
  if (!picture.key.empty()) {
    json["colours"] = {{"of", picture.key}, {"names", picture.names}, {"rgb", palette}};
  }
  json["panels"] = Json::array();
  for (const Panel& panel : picture.panels) {
    json["panels"].push_back(panel_json(panel));
  }
  return json;
}

}  // namespace tileloom::cli
