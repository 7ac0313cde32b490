// SPDX-License-Identifier: Apache-2.0
// Pictures as JSON: the model that the writers draw.
#pragma once

#include <nlohmann/json.hpp>

#include "render/draw/picture.hpp"

namespace tileloom::cli {

[[nodiscard]] nlohmann::ordered_json picture_json(const render::draw::Picture& picture);

}  // namespace tileloom::cli
