// SPDX-License-Identifier: Apache-2.0
// The functions of expressions that choose between several operations by their arguments.
#pragma once

#include "layout/arguments.hpp"

namespace tileloom::layout {

[[nodiscard]] Value run_composition(const Arguments& a);
[[nodiscard]] Value run_complement(const Arguments& a);
[[nodiscard]] Value run_make_layout(const Arguments& a);
[[nodiscard]] Value run_get(const Arguments& a);
[[nodiscard]] Value run_slice(const Arguments& a);
[[nodiscard]] Value run_dice(const Arguments& a);
[[nodiscard]] Value run_local_tile(const Arguments& a);
[[nodiscard]] Value run_local_partition(const Arguments& a);
[[nodiscard]] Value run_eval(const Arguments& a);
[[nodiscard]] Value run_crd2idx(const Arguments& a);
[[nodiscard]] Value run_upcast(const Arguments& a);
[[nodiscard]] Value run_downcast(const Arguments& a);
[[nodiscard]] Value run_right_inverse(const Arguments& a);
[[nodiscard]] Value run_left_inverse(const Arguments& a);

// Argument 0, or the mode of it that the other arguments name.
[[nodiscard]] Layout mode_of(const Arguments& a);

}  // namespace tileloom::layout
