// SPDX-License-Identifier: Apache-2.0
// How CuTe lays out a thread's registers, step by step.
#pragma once

#include "tileloom/layout/algebra.hpp"

namespace tileloom::trace {

// make_fragment_like(L) = tiled_product(block, rest): the values of one atom together, atom after atom.
// Law: compact, mode 0 first; modes of static stride 0 stay broadcast and take no registers. A stride that is 0 only at
// run time is no broadcast, as CuTe cannot see it.
struct FragmentSteps {
  layout::Layout block;     // mode 0, compact by itself, first sub-mode fastest; static stride 0 kept
  layout::Layout rest;      // the other modes, compact, in the order of their strides; dynamic ones last
  layout::Layout fragment;  // the result
};

// The steps of layout::make_fragment_like. Throws Error(bad_input) for a layout of one mode, which has no steps.
[[nodiscard]] FragmentSteps fragment_steps(const layout::Layout& l, const layout::Policy& policy = {});

// make_tensor_like: compact in the order of all strides of L, mode 0 not preferred.
[[nodiscard]] layout::Layout make_tensor_like(const layout::AnyLayout& l, const layout::Policy& policy = {});

// 32-bit registers that hold the values of a fragment: cosize * bits / 32, rounded up.
[[nodiscard]] std::int64_t registers_of(const layout::Layout& fragment, int value_bits);

}  // namespace tileloom::trace
