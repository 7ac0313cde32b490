// SPDX-License-Identifier: Apache-2.0
// One operand of an instruction, or one end of a copy, and who holds which element of it.
#pragma once

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

[[nodiscard]] std::vector<render::AtomPlace> holders_of(const PyOperand& o, int row, int column);
// Everything that a lane of a warp holds, value by value.
[[nodiscard]] std::vector<render::AtomPlace> held_by(const PyOperand& o, int lane, int warp);
// Throws Error(bad_input) unless 0 <= value < end.
void check_range(const std::string& name, std::int64_t value, std::int64_t end);

}  // namespace tileloom::python
