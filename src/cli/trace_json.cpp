// SPDX-License-Identifier: Apache-2.0
// A kernel's layouts and a thread's part of them.
#include "cli/trace_json.hpp"

namespace tileloom::cli {

namespace {

const char* order_name(trace::WalkOrder order) {
  switch (order) {
    case trace::WalkOrder::rows:
      return "rows";
    case trace::WalkOrder::row_pairs:
      return "row_pairs";
    case trace::WalkOrder::columns:
      break;
  }
  return "columns";
}

Json walk_json(const trace::GemmWalk& w) {
  Json steps = Json::array();
  for (const trace::GemmStep& s : w.steps) {
    steps.push_back({s.m, s.n});
  }
  return {{"order", order_name(w.order)}, {"mma_m", w.rows},
          {"mma_n", w.columns},           {"a_bytes", w.a_bytes},
          {"b_bytes", w.b_bytes},         {"uses_of_a", w.columns},
          {"uses_of_b", w.rows},          {"a_changes", w.a_changes},
          {"b_changes", w.b_changes},     {"block", {w.block_m, w.block_n}},
          {"steps", std::move(steps)}};
}

Json tensor_json(const trace::NamedLayout& t) {
  return {{"name", t.name}, {"modes", t.modes}, {"layout", to_string(t.layout)}, {"start", t.start}};
}

const char* origin_name(trace::Origin origin) {
  switch (origin) {
    case trace::Origin::tile:
      return "tile";
    case trace::Origin::instruction:
      return "instruction";
    case trace::Origin::copy:
      return "copy";
    case trace::Origin::copies:
      return "copies";
    case trace::Origin::permutation:
      return "permutation";
    case trace::Origin::repeats:
      return "repeats";
    case trace::Origin::k_tile:
      return "k_tile";
    case trace::Origin::stage:
      break;
  }
  return "stage";
}

Json repeat_json(const trace::PatternRepeat& r) {
  return {{"period", r.period}, {"count", r.count}, {"slots", r.slots ? Json(*r.slots) : Json(nullptr)}};
}

}  // namespace

Json kernel_json(const trace::Kernel& kernel) {
  Json json = {{"name", kernel.config.name},
               {"tile", kernel.config.tile},
               {"threads", kernel.threads()},
               {"stages", kernel.config.stages},
               {"shared_bytes", kernel.shared_bytes}};
  json["sizes"] = Json::object();
  for (const auto& [name, value] : kernel.sizes) {
    json["sizes"][name] = value;
  }
  return json;
}

Json cta_json(const trace::Kernel& kernel, trace::CtaIndex cta) {
  const trace::Grid grid = grid_of(kernel);
  return {{"grid", {grid.tiles_m, grid.tiles_n}},
          {"raster_width", grid.band},
          {"cta", {cta.m, cta.n}},
          {"block", launched_block(grid, cta)}};
}

Json stages_json(const std::vector<trace::StageLayouts>& stages) {
  Json json = Json::array();
  for (const trace::StageLayouts& stage : stages) {
    Json one = {{"step", stage.step}, {"atom", stage.atom}, {"tensors", Json::array()}};
    for (const trace::NamedLayout& t : stage.tensors) {
      one["tensors"].push_back(tensor_json(t));
    }
    json.push_back(std::move(one));
  }
  return json;
}

Json overview_json(const trace::Overview& o) {
  Json json;
  json["thread"] = o.thread;
  json["stages"] = stages_json(o.stages);
  const trace::Expansion& e = o.expansion;
  json["expansion"] = {{"atom", e.atom},
                       {"atoms", e.atoms},
                       {"permutation", e.permutation},
                       {"tile", e.tile},
                       {"atom_threads", e.atom_threads},
                       {"threads", e.threads}};
  json["gemm"] = walk_json(o.walk);
  json["instructions"] = Json::array();
  for (const trace::InstructionCount& c : o.counts) {
    json["instructions"].push_back({{"what", c.what},
                                    {"atom", c.atom},
                                    {"warp_per_k_block", c.per_k_block},
                                    {"warp_per_k_tile", c.per_k_tile},
                                    {c.per_k_tile == 0 ? "cta" : "cta_per_k_tile", c.cta_per_k_tile}});
  }
  json["fragments"] = Json::array();
  for (const trace::FragmentSize& f : o.fragments) {
    json["fragments"].push_back({{"name", f.name}, {"values", f.values}, {"bits", f.bits}, {"registers", f.registers}});
  }
  return json;
}

Json explained_json(const trace::ExplainedTensor& e) {
  Json json = tensor_json(e.tensor);
  json["swizzle"] = e.swizzle ? Json(to_string(*e.swizzle)) : Json(nullptr);
  json["before_swizzle"] = e.before;
  json["coordinates"] = Json::array();
  for (const trace::ExplainedMode& m : e.modes) {
    Json one = {{"symbol", m.symbol},
                {"mode", m.mode},
                {"size", m.size},
                {"stride", m.stride},
                {"origin", origin_name(m.origin)},
                {"step", m.step},
                {"even", m.even}};
    if (m.part != 0) {
      one["whole"] = m.whole;
      one["part"] = m.part;
    }
    if (!m.even) {
      one["positions"] = Json::array();
      for (const hw::MatrixPosition p : m.positions) {
        one["positions"].push_back(position_json(p));
      }
    }
    json["coordinates"].push_back(std::move(one));
  }
  json["example"] = {
      {"coordinate", e.example.coordinate}, {"offset", e.example.offset}, {"element", e.example.element}};
  return json;
}

Json elements_json(const trace::ThreadElements& e) {
  Json json = {{"operand", operand_name(e.operand)},
               {"thread", e.thread},
               {"per_register", e.per_register},
               {"registers", e.registers},
               {"mmas", Json::array()}};
  for (const trace::MmaElements& block : e.blocks) {
    Json elements = Json::array();
    for (const hw::MatrixPosition p : block.elements) {
      elements.push_back(position_json(p));
    }
    json["mmas"].push_back({{"repeat", block.repeat}, {"slots", block.slots}, {"elements", std::move(elements)}});
  }
  return json;
}

Json map_json(const trace::TileMap& map) {
  Json json = {{"operand", operand_name(map.operand)},
               {"thread", map.thread},
               {"tile", {map.rows, map.columns}},
               {"elements", Json::array()}};
  for (std::int64_t row = 0; row < map.rows; ++row) {
    for (std::int64_t column = 0; column < map.columns; ++column) {
      if (map.at(row, column) >= 0) {
        json["elements"].push_back({row, column, map.at(row, column)});
      }
    }
  }
  json["down"] = repeat_json(map.down);
  json["across"] = repeat_json(map.across);
  return json;
}

}  // namespace tileloom::cli
