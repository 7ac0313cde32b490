// SPDX-License-Identifier: Apache-2.0
// Layout text, in CuTe's own printed form: what CuTe's print shows can be pasted, and to_string prints it back.
//
//   _4                              static integer; 4 is dynamic, _1@0 a scaled basis
//   (_4,(_2,_8)):(_2,(_1,_16))      layout; (_8) is a tuple of one, not _8
//   Sw<3,3,3> o _0 o (_8,_32):(_32,_1)      swizzled layout
//   <_4:_1,_8>                      tiler by mode;  _ keeps a mode
//   (_,1,(0,_))                     coordinate
//   Step<_2,_1>  LayoutLeft         orders
//   smem_ptr[16b](0x7f00) o (_8,_8):(_8,_1)        tensor
//   ArithTuple(0,0) o (_4,_8):(_1@0,_1@1)          coordinate tensor
//
// White space is free. Errors point at the column. Expressions with calls are in expression.hpp.
#pragma once

#include <string_view>

#include "tileloom/layout/composed.hpp"
#include "tileloom/layout/result.hpp"

namespace tileloom::layout {

// The whole text is one such thing. Sizes of layouts and shapes in layouts are at least 1.
[[nodiscard]] Tree parse_tree(std::string_view text);
[[nodiscard]] Layout parse_layout(std::string_view text);
[[nodiscard]] Swizzle parse_swizzle(std::string_view text);
[[nodiscard]] AnyLayout parse_any_layout(std::string_view text);
[[nodiscard]] Tiler parse_tiler(std::string_view text);
[[nodiscard]] Tensor parse_tensor(std::string_view text);
[[nodiscard]] Result<Layout> try_parse_layout(std::string_view text);

}  // namespace tileloom::layout
