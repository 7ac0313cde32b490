// SPDX-License-Identifier: Apache-2.0
// Instructions, places and formulas as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "render/atom_text.hpp"

namespace tileloom::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json atom_json(const hw::AnyAtom& atom);  // one line of a list
[[nodiscard]] Json card_json(const hw::AnyAtom& atom);  // all of it
[[nodiscard]] Json places_json(const render::AtomOperand& operand, std::span<const render::AtomPlace> places);
[[nodiscard]] Json formulas_json(const render::AtomOperand& operand);  // null where there are none
[[nodiscard]] Json sources_json(const std::vector<render::ProductSource>& sources);

}  // namespace tileloom::cli
