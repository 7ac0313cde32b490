// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tileloom/layout/algebra.hpp"

namespace tileloom::trace {

// `_` as often as asked, as a tuple.
[[nodiscard]] layout::Tree wildcards(std::size_t count);

// For each mode of `l`, the 1-D coordinate at which it contributes to offset `index`.
// Law, for an injective l with positive strides that divide each other: l(result) = index.
[[nodiscard]] layout::Tree flat_coordinate(const layout::Layout& l, const layout::Int& index);

// ((a,b),(c,d)) -> ((a,c),(b,d))
[[nodiscard]] layout::Layout zip(const layout::Layout& l);

}  // namespace tileloom::trace
