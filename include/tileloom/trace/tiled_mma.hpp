// SPDX-License-Identifier: Apache-2.0
// A tile of MMA instructions: who holds which element of A, B and C, as CuTe's TiledMMA says.
//
//   TiledMma mma(hw::mma_atom("SM80_16x8x16_F16F16F16F16_TN"), parse_layout("(_2,_2,_1):(_1,_2,_0)"),
//                parse_tiler("<_32,_32,_16>"));
//   mma.threads()                    // _128: 2 x 2 warps of 32
//   mma.tile_size()                  // (_32,_32,_16): elements in M, N, K that all threads hold together
//   mma.layout_tv(Operand::b)        // (thread, value) -> n + 32*k
//   mma.partition(Operand::a, sA, thread 5).layout   // (values of one atom, atoms in M, atoms in K) -> offset in sA
//
// Two levels of growth from one instruction, the atom:
//   the atom layout repeats it over more threads: a tile of M x N x K atoms, each done by threads of its own;
//   the permutation, a tiler for each of M, N and K, reorders the tile (a layout) and says how far it reaches (its
//   size); where that is more than the atoms cover, each thread holds more values.
//
// Every layout is CuTe's, with Semantics::cute to the last underscore. Elements of A are counted (m,k), of B (n,k), of
// C (m,n).
#pragma once

#include "tileloom/hw/instructions.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::trace {

enum class Operand { a, b, c };
[[nodiscard]] char letter(Operand operand);  // 'A'

// The modes of an operand as positions in (M,N,K): A is {0,2}, B {1,2}, C {0,1}.
struct OperandModes {
  std::size_t first;
  std::size_t second;
};
[[nodiscard]] OperandModes modes_of(Operand operand);

class TiledMma {
 public:
  // `atom_layout` has up to three modes (M,N,K); missing ones are _1:_0. `permutation` is a tuple of up to three
  // tilers, or `_`; a `_` in it stands for what the atoms cover. Throws Error(bad_input) for more modes, for a thread
  // layout that two threads share, and, unless told to do as CuTe, for a permutation that the atoms do not divide.
  explicit TiledMma(const hw::MmaAtom& atom, const layout::Layout& atom_layout = {},
                    const layout::Tiler& permutation = layout::Int::make_any(), const layout::Policy& policy = {});

  [[nodiscard]] const hw::MmaAtom& atom() const noexcept { return *atom_; }
  [[nodiscard]] const hw::MmaOperand& operand(Operand operand) const noexcept;
  [[nodiscard]] const layout::Policy& policy() const noexcept { return policy_; }

  [[nodiscard]] layout::Int threads() const;
  // Lanes from the first to the last thread, rounded up to whole patterns: more than threads() where an atom leaves
  // lanes between its threads out, as SM70's quarter warps do. Lanes left out see what a thread sees.
  [[nodiscard]] layout::Int lanes() const;
  // (thread within an atom, atom in M, in N, in K) -> thread.
  [[nodiscard]] const layout::Layout& thr_layout_vmnk() const noexcept { return threads_; }
  // (M,N,K) that all threads hold together.
  [[nodiscard]] layout::Tree tile_size() const;
  [[nodiscard]] layout::Int tile_size(std::size_t mode) const;
  // The tiler of mode 0 (M), 1 (N) or 2 (K), `_` resolved.
  [[nodiscard]] layout::Tiler permutation(std::size_t mode) const;

  // (thread, value) -> element of the tile, first mode fastest. Law: over all threads and values, every element of the
  // tile occurs equally often, as often as the atoms in the operand's missing mode repeat it. CuTe breaks the law for C
  // where there are atoms in K: its layout runs past the tile, and so do its tiled copies of C.
  [[nodiscard]] layout::Layout layout_tv(Operand operand) const;

  // A tensor of shape (M,K,...), multiples of the tile, as ((threads of an atom, (atoms in M, in K)), (values, (rest of
  // M, rest of K, ...))).
  [[nodiscard]] layout::AnyLayout thread_fragments(Operand operand, const layout::AnyLayout& tensor) const;
  // The part of one lane, (values of one atom, repeats in M, repeats in K, ...), and where it starts in the tensor.
  // Precondition: thread < lanes().
  [[nodiscard]] layout::Sliced partition(Operand operand, const layout::AnyLayout& tensor,
                                         const layout::Int& thread) const;
  // Of A or B: registers laid out like the partition (make_fragment_like); of C: compact, whatever C's layout is.
  // Throws Error(bad_input) for operands that the instruction reads from shared memory by descriptor.
  [[nodiscard]] layout::Layout make_fragment(Operand operand, const layout::AnyLayout& partition) const;

  // (thread within the atom, atom in M, in N, in K) of a thread.
  [[nodiscard]] layout::Tree thread_coordinate(const layout::Int& thread) const;

 private:
  [[nodiscard]] layout::Layout divide_among_threads(Operand operand, const layout::Layout& tensor) const;
  [[nodiscard]] layout::Layout repeat_over_threads(Operand operand, const layout::Layout& fragments) const;
  [[nodiscard]] layout::Layout atom_tv(Operand operand) const;
  [[nodiscard]] layout::Int atom_size(std::size_t mode) const;
  [[nodiscard]] layout::Layout with_gaps() const;
  void check_permutation() const;
  void check_divisible(Operand operand, const layout::Layout& tensor) const;

  const hw::MmaAtom* atom_;
  layout::Policy policy_;
  layout::Layout threads_;
  std::vector<layout::Tiler> permutation_;  // three, each perhaps `_`
};

}  // namespace tileloom::trace
