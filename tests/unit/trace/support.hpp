// SPDX-License-Identifier: Apache-2.0
// Short names for what the tests of tiled MMA and tiled copy need.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tileloom/error.hpp"
#include "tileloom/layout/expression.hpp"
#include "tileloom/trace/fragment.hpp"
#include "tileloom/trace/tiled_copy.hpp"
#include "tileloom/trace/tiled_mma.hpp"

namespace tileloom::trace::test {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::LayoutRef;
using layout::Semantics;
using layout::Sliced;
using layout::Tree;

inline constexpr const char* half_mma = "SM80_16x8x16_F16F16F16F16_TN";

inline AnyLayout any_layout(const std::string& text) {
  const layout::Value v = layout::evaluate(text, Semantics::cute);
  const auto* swizzled = std::get_if<layout::ComposedLayout>(&v);
  return swizzled != nullptr ? AnyLayout(*swizzled) : AnyLayout(std::get<Layout>(v));
}

inline TiledMma tiled_mma(const std::string& atom, const std::string& atom_layout = "(_1,_1,_1)",
                          const std::string& permutation = "", Semantics semantics = Semantics::cute) {
  return TiledMma(hw::mma_atom(atom), make_layout(layout::parse_tree(atom_layout)),
                  permutation.empty() ? layout::Tiler(Int::make_any()) : layout::parse_tiler(permutation), semantics);
}

inline Int thread(int i) {
  return Int::make_dynamic(i);
}

inline std::int64_t at(const AnyLayout& l, std::int64_t index) {
  return evaluate(l, Tree(Int::make_dynamic(index))).leaf().value;
}
inline std::int64_t at(const AnyLayout& l, const std::string& coord) {
  return evaluate(l, layout::parse_tree(coord)).leaf().value;
}

// The offsets of a partition in the whole tensor, by 1-D coordinate.
inline std::vector<std::int64_t> offsets(const Sliced& part) {
  std::vector<std::int64_t> all;
  const std::int64_t n = size(domain(part.layout)).value;
  for (std::int64_t i = 0; i < n; ++i) {
    all.push_back(part.offset.leaf().value + at(part.layout, i));
  }
  return all;
}

// Message and hint of the error that f throws; "accepted" if none.
template <class F>
std::pair<std::string, std::string> error_of(const F& f) {
  try {
    (void)f();
  } catch (const Error& e) {
    return {e.what(), e.hint()};
  }
  return {"accepted", ""};
}

}  // namespace tileloom::trace::test
