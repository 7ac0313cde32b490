// SPDX-License-Identifier: Apache-2.0
// Short names for the tests of pictures.
#pragma once

#include <sstream>
#include <string>

#include "render/draw/latex.hpp"
#include "render/draw/svg.hpp"
#include "tileloom/layout/expression.hpp"
#include "unit/draw/svg_reader.hpp"
#include "unit/trace/support.hpp"

namespace tileloom::render::draw {

using trace::test::error_of;

inline std::string svg_of(const Picture& p) {
  std::ostringstream out;
  write_svg(out, p);
  return out.str();
}
inline std::string latex_of(const Picture& p) {
  std::ostringstream out;
  write_latex(out, p);
  return out.str();
}
inline test::Svg read_back(const Picture& p) {
  return test::read_svg(svg_of(p));
}

inline layout::AnyLayout any(const std::string& text) {
  const layout::Value v = layout::evaluate(text);
  const auto* swizzled = std::get_if<layout::ComposedLayout>(&v);
  return swizzled != nullptr ? layout::AnyLayout(*swizzled) : layout::AnyLayout(std::get<layout::Layout>(v));
}

inline test::SvgCell offset_cell(std::int64_t offset) {
  return {"c" + std::to_string((offset % 8 + 8) % 8), {std::to_string(offset)}};
}
inline test::SvgCell owner_cell(int thread, int value) {
  return {"c" + std::to_string(thread % 8), {"T" + std::to_string(thread), "V" + std::to_string(value)}};
}

}  // namespace tileloom::render::draw
