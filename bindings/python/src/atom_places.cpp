// SPDX-License-Identifier: Apache-2.0
#include "atom_places.hpp"

#include "integers.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

using render::AtomPlace;

namespace {

struct Asked {
  int thread = 0;
  int group = 0;  // of the warp's independent groups
};

Asked thread_of(const render::AtomOperand& o, int lane, int warp) {
  const render::LaneGroups groups = render::lane_groups(o);
  for (int thread = 0; thread < o.threads; ++thread) {
    for (int group = 0; group < groups.count; ++group) {
      if (o.thread_id(thread) + group * groups.step == 32 * warp + lane) {
        return {thread, group};
      }
    }
  }
  throw Error(ErrorKind::bad_input, o.atom + ": no thread is lane " + std::to_string(lane));
}

}  // namespace

PyOperand::PyOperand(render::AtomOperand operand, std::string cute)
    : view(std::move(operand)), cute_tv(std::move(cute)) {
  if (view.keeper != render::Keeper::descriptor) {
    map = render::map_of(view);
  }
}

const hw::LaneMap& PyOperand::lane_map() const {
  if (!map) {
    (void)render::map_of(view);  // says why
  }
  return *map;
}

int checked_index(const std::string& name, nanobind::handle value, std::int64_t end) {
  const std::int64_t index = integer_argument(name, value);
  if (index < 0 || index >= end) {
    throw Error(ErrorKind::bad_input, name + ": expected an integer from 0 to " + std::to_string(end - 1) +
                                          ", found '" + std::to_string(index) + "'");
  }
  return static_cast<int>(index);
}

std::vector<AtomPlace> holders_of(const PyOperand& o, nanobind::handle row, nanobind::handle column) {
  const hw::LaneMap& map = o.lane_map();
  const int i = checked_index(o.view.row_name + " of " + o.view.letter, row, o.view.rows);
  const int j = checked_index(o.view.column_name + " of " + o.view.letter, column, o.view.columns);
  std::vector<AtomPlace> places;
  for (const hw::Holding holding : map.holders({i, j})) {
    places.push_back(render::place_of(o.view, map, holding));
  }
  return places;
}

std::vector<AtomPlace> held_by(const PyOperand& o, nanobind::handle lane, nanobind::handle warp) {
  const hw::LaneMap& map = o.lane_map();
  const int asked_lane = checked_index("lane", lane, o.view.threads == 1 ? 1 : 32);
  const int asked_warp = checked_index("warp", warp, o.view.threads == 128 ? 4 : 1);
  const Asked asked = thread_of(o.view, asked_lane, asked_warp);
  std::vector<AtomPlace> places;
  for (int value = 0; value < map.values(); ++value) {
    places.push_back(in_group(o.view, place_of(o.view, map, {asked.thread, value}), asked.group));
  }
  return places;
}

}  // namespace tileloom::python
