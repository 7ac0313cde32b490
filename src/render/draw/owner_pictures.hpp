// SPDX-License-Identifier: Apache-2.0
// Pictures of instructions and of their tilings: who holds which element.
#pragma once

#include "render/draw/picture.hpp"
#include "tileloom/trace/tiled_copy.hpp"
#include "tileloom/trace/tiled_mma.hpp"

namespace tileloom::render::draw {

// C in the middle, A left of it with the same rows, B above it with the same columns: each element of C stands where
// its row of A and its column of B meet. Operands that the instruction reads from shared memory have empty cells.
[[nodiscard]] Picture mma_picture(const hw::MmaAtom& atom);
// One tile of the tiled MMA. `name`: of the kernel, for the title.
[[nodiscard]] Picture mma_picture(const trace::TiledMma& mma, const std::string& name);

// Source and destination side by side: of one instruction in its units (a row of ldmatrix has eight), of a tiled copy
// in elements. Throw Error(bad_input) for a copy whose width follows from its tensors and for a tile of rank above 2.
[[nodiscard]] Picture copy_picture(const hw::CopyAtom& atom);
[[nodiscard]] Picture copy_picture(const trace::TiledCopy& copy, const std::string& name);

}  // namespace tileloom::render::draw
