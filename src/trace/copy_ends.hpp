// SPDX-License-Identifier: Apache-2.0
// The ends of a kernel's copies: which element each lane of each instruction gives the address of, and what these
// addresses cost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tileloom/trace/check.hpp"
#include "tileloom/trace/tile_table.hpp"

namespace tileloom::trace {

inline constexpr int warp_size = 32;

// For each instruction of each warp, the element that each lane's first value is: row + rows * column of the tile. It
// does not depend on where the elements lie.
class LaneElements {
 public:
  LaneElements(const TileTable& table, int values_at_once, std::int64_t rows);

  struct Lanes {
    std::array<std::int32_t, warp_size> element{};
    std::uint32_t active = 0;
  };
  // Instruction after instruction, warp after warp.
  [[nodiscard]] std::span<const Lanes> instructions() const { return instructions_; }

 private:
  std::vector<Lanes> instructions_;
};

// Bytes of the elements of a tile of rows x columns at the start of `tensor`, whose element 0 is at byte `base`.
[[nodiscard]] std::vector<std::int64_t> element_bytes(const layout::AnyLayout& tensor, std::int64_t base, int bits,
                                                      std::int64_t rows, std::int64_t columns);

struct GlobalEnd {
  LaneElements lanes;
  std::vector<std::int64_t> bytes;  // by element
  int width = 0;                    // bytes of a lane
};

struct SharedEnd {
  LaneElements lanes;
  hw::SharedOp op = hw::SharedOp::load;
  int size = 0;                     // as hw::SharedAccess has it
  int width = 0;                    // bytes of a lane; a row of ldmatrix has 16
  std::optional<GlobalEnd> source;  // of cp.async, where the matrix is known
  [[nodiscard]] bool is_async() const { return op == hw::SharedOp::cp_async_ca || op == hw::SharedOp::cp_async_cg; }
  [[nodiscard]] bool has_cost() const { return !is_async() || source.has_value(); }
};

// Rows and columns of what one round of copies covers: A's and B's tile, C's slab.
struct Extent {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};
[[nodiscard]] Extent copied_extent(const OperandPath& path);

// Where an operand's elements of stage 0 lie in shared memory. Precondition: path.shared.
[[nodiscard]] std::vector<std::int64_t> shared_bytes(const OperandPath& path);

// The end of a copy at shared memory; nothing where the kernel has no such copy.
[[nodiscard]] std::optional<SharedEnd> write_end(const OperandPath& path);
[[nodiscard]] std::optional<SharedEnd> read_end(const OperandPath& path);
// The other end, in global memory, of a copy between the two. Precondition: path.global.
[[nodiscard]] GlobalEnd global_end(const OperandPath& path, const TiledCopy& copy, End end);

// Precondition: end.has_cost(), and every address a multiple of its width.
[[nodiscard]] SharedCost shared_cost(const SharedEnd& end, std::span<const std::int64_t> bytes);
// `write`: where a copy from global memory goes, at these bytes of shared memory by element.
[[nodiscard]] GlobalCost global_cost(const GlobalEnd& end, const SharedEnd* write = nullptr,
                                     std::span<const std::int64_t> shared = {});
// The largest power of two up to 16 of which all addresses are multiples.
[[nodiscard]] int alignment_of(const LaneElements& lanes, std::span<const std::int64_t> bytes);

}  // namespace tileloom::trace
