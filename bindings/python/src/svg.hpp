// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>

#include "render/draw/svg.hpp"

namespace tileloom::python {

[[nodiscard]] inline std::string svg_text(const render::draw::Picture& picture) {
  std::ostringstream out;
  write_svg(out, picture);
  return std::move(out).str();
}

}  // namespace tileloom::python
