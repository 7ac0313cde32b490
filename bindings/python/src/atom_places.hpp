// SPDX-License-Identifier: Apache-2.0
// One operand of an instruction, or one end of a copy, and who holds which element of it.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "render/atom_view.hpp"

namespace tileloom::python {

struct PyOperand {
  render::AtomOperand view;
  std::string cute_tv = {};             // where CuTe's text is wrong
  std::optional<hw::LaneMap> map = {};  // none where a descriptor leads to it

  explicit PyOperand(render::AtomOperand operand, std::string cute = {});
  [[nodiscard]] const hw::LaneMap& lane_map() const;  // throws Error(bad_input) where there is none
};

[[nodiscard]] std::vector<render::AtomPlace> holders_of(const PyOperand& o, nanobind::handle row,
                                                        nanobind::handle column);
// Everything that a lane of a warp holds, value by value.
[[nodiscard]] std::vector<render::AtomPlace> held_by(const PyOperand& o, nanobind::handle lane, nanobind::handle warp);
// Throws Error(bad_input) unless it is an integer and 0 <= value < end.
[[nodiscard]] int checked_index(const std::string& name, nanobind::handle value, std::int64_t end);

}  // namespace tileloom::python
