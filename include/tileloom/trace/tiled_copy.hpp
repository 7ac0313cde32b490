// SPDX-License-Identifier: Apache-2.0
// A tile of copy instructions: which thread moves which elements, as CuTe's TiledCopy says.
//
//   TiledCopy copy = tiled_copy_for(mma, Operand::a, hw::copy_atom("SM75_U32x4_LDSM_N"));
//   copy.partition_source(sA, thread).layout     // ((values of one copy, copies), repeats in M, in K) -> offset in sA
//   copy.retile(fragment)                        // the MMA's registers, grouped by copies
//
// Three maps of one instruction, from (thread, value) to an element of the block that it moves: source, destination and
// reference. The tile is described for the reference threads and values (layout_tv); what a source thread reads follows
// by element -> reference (thread, value) -> tile. For ldmatrix, source and destination differ: a thread gives the
// address of a row of which other threads get the parts.
#pragma once

#include "tileloom/hw/instructions.hpp"
#include "tileloom/layout/algebra.hpp"
#include "tileloom/trace/tiled_mma.hpp"

namespace tileloom::trace {

enum class End { source, destination };

class TiledCopy {
 public:
  // `tv`: (thread, value) -> element of a tile of shape `tiler`, first mode fastest. `value_bits`: of one element.
  // Throws Error(bad_input) if the threads or values of tv are no multiple of the atom's.
  TiledCopy(const hw::CopyAtom& atom, int value_bits, layout::Layout tv, layout::Tree tiler,
            const layout::Policy& policy = {});

  [[nodiscard]] const hw::CopyAtom& atom() const noexcept { return *atom_; }
  [[nodiscard]] int value_bits() const noexcept { return value_bits_; }
  [[nodiscard]] layout::Int threads() const;
  [[nodiscard]] const layout::Layout& layout_tv() const noexcept { return tv_; }
  [[nodiscard]] const layout::Tree& tiler() const noexcept { return tiler_; }
  // (thread, value) -> element of the copied block, of one atom.
  [[nodiscard]] const layout::Layout& atom_source() const noexcept { return source_; }
  [[nodiscard]] const layout::Layout& atom_destination() const noexcept { return destination_; }
  [[nodiscard]] const layout::Layout& atom_reference() const noexcept { return reference_; }

  // (thread, (values of one copy, copies)) -> element of the tile, for either end.
  [[nodiscard]] layout::Layout layout_tv(End end) const;
  // A tensor, of which the tile divides the first modes, as (thread, (values of one copy, copies), (repeats in each
  // mode)).
  [[nodiscard]] layout::AnyLayout thread_fragments(End end, const layout::AnyLayout& tensor) const;
  // The part of one thread: ((values of one copy, copies), repeats in each mode ...), and where it starts.
  [[nodiscard]] layout::Sliced partition(End end, const layout::AnyLayout& tensor, const layout::Int& thread) const;
  [[nodiscard]] layout::Sliced partition_source(const layout::AnyLayout& tensor, const layout::Int& thread) const {
    return partition(End::source, tensor, thread);
  }
  [[nodiscard]] layout::Sliced partition_destination(const layout::AnyLayout& tensor, const layout::Int& thread) const {
    return partition(End::destination, tensor, thread);
  }
  // A thread's values, ordered as the MMA has them (values of one atom, repeats ...), regrouped by copies (retile_S,
  // retile_D). Law: the offsets are those of `fragment`, each once.
  [[nodiscard]] layout::AnyLayout retile(const layout::AnyLayout& fragment) const;

 private:
  [[nodiscard]] layout::Layout divide_among_threads(const layout::Layout& tiled, End end) const;

  const hw::CopyAtom* atom_;
  int value_bits_;
  layout::Layout tv_;
  layout::Tree tiler_;
  layout::Policy policy_;
  layout::Layout source_, destination_, reference_;
};

// make_tiled_copy_A, _B, _C: the copy whose reference threads and values are the MMA's.
// Throws Error(bad_input), with the way out, where the atom moves more values than a thread of the MMA holds.
[[nodiscard]] TiledCopy tiled_copy_for(const TiledMma& mma, Operand operand, const hw::CopyAtom& atom);

// make_tiled_copy: `threads` and `values` say which thread and which of its values each element of the tile is.
[[nodiscard]] TiledCopy make_tiled_copy(const hw::CopyAtom& atom, int value_bits, const layout::Layout& threads,
                                        const layout::Layout& values, const layout::Policy& policy = {});

// The bits that the instruction takes or puts at once at one end: 128 for the rows of ldmatrix, 32 for its registers.
[[nodiscard]] int unit_bits(const hw::CopyAtom& atom, End end, int value_bits);

// Do the values of one copy, mode (0,0) of a partition, lie together so that the instruction can take them?
// `tensor_bits` is the width of the tensor's elements where that is not the copy's. Throws Error(bad_input) if not, as
// CuTe stops with "failed to vectorize"; the hint says what to change. `name`: of the operand, for the message.
void check_vectorizes(const TiledCopy& copy, End end, const layout::AnyLayout& partition, const std::string& name,
                      int tensor_bits);
inline void check_vectorizes(const TiledCopy& copy, End end, const layout::AnyLayout& partition,
                             const std::string& name) {
  check_vectorizes(copy, end, partition, name, copy.value_bits());
}

}  // namespace tileloom::trace
