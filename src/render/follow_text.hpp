// SPDX-License-Identifier: Apache-2.0
// The way of an element through a run, as `trace --element` shows the way that the configuration gives it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>

#include "tileloom/emu/provenance.hpp"

namespace tileloom::render {

// Elements in a row, of the buffers that are matrices of 16-bit elements: `A(0,9)` instead of `byte 18 of A`.
using RowLengths = std::map<std::string, std::int64_t>;

// `sum`: where the result was summed, when that is what was followed.
void follow_text(std::ostream& out, const emu::Provenance& seen, const emu::BufferElement& what,
                 const RowLengths& matrices, const std::optional<emu::SumPlace>& sum = std::nullopt);

}  // namespace tileloom::render
