// SPDX-License-Identifier: Apache-2.0
// The layouts that are tried for one operand, and how they go into a configuration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tileloom/trace/suggest.hpp"

namespace tileloom::trace {

// A layout of one stage without a swizzle, its offsets evaluated once.
struct InnerLayout {
  layout::Layout layout;  // rows, columns, and C's third mode
  std::vector<std::int64_t> offsets;

  explicit InnerLayout(layout::Layout l);
};

// One stage of an operand in shared memory.
struct TileLayout {
  std::string what;
  layout::Swizzle swizzle{0, 0, 0};
  std::shared_ptr<const InnerLayout> inner;
  std::int64_t extent = 0;  // elements that it takes up
  bool padded = false;
};

// How the stages of an operand lie now. Distances in elements.
struct Stages {
  std::int64_t count = 1;
  bool third_mode = false;  // the layout has a mode for them
  std::int64_t stride = 0;  // from one to the next; 0 where there is one
  std::int64_t extent = 0;  // that is kept for one, holes behind it included
};
[[nodiscard]] Stages stages_of(const Kernel& kernel, const OperandPath& path);

// Everything that is searched for an operand whose widest access is `together` elements.
[[nodiscard]] std::vector<TileLayout> tile_layouts(const Kernel& kernel, const OperandPath& path,
                                                   std::int64_t together);

// Fields that make `tile` the operand's layout; other operands move where it needs another size.
[[nodiscard]] Settings place_tile(const Kernel& kernel, const OperandPath& path, const TileLayout& tile);

// The configuration with fields replaced. Precondition: fields that place_tile and wider_tile set.
[[nodiscard]] KernelConfig with_settings(KernelConfig config, const Settings& settings);

// Fields that make K tiles `factor` times as long, with plain layouts; none where threads or rows do not divide.
[[nodiscard]] std::optional<Settings> wider_tile(const Kernel& kernel, std::int64_t factor, int stages);

// Does the first mode, rows, have the shorter step?
[[nodiscard]] bool rows_are_contiguous(const layout::AnyLayout& tensor);

}  // namespace tileloom::trace
