// SPDX-License-Identifier: Apache-2.0
// What a kernel's stages look like: the layouts that its code would print, how its tile grows from one instruction, how
// many instructions that makes, and what a thread holds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tileloom/trace/gemm_walk.hpp"
#include "tileloom/trace/grid.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::trace {

// How a tensor shares the tile out: not at all, by the tiled MMA, or by an end of one of the operand's two copies.
enum class Division { none, mma, fill_source, fill_destination, drain_source, drain_destination };

enum class Memory { global, shared, registers };

// A tensor under the name that CuTe code gives it.
struct NamedLayout {
  std::string name;   // tAsA
  std::string modes;  // (CPY, CPY_M, CPY_K, PIPE)
  layout::AnyLayout layout;
  Operand operand = Operand::a;
  Memory memory = Memory::global;
  Division division = Division::none;
  std::int64_t start = 0;  // offset of its first element: of gA in the matrix, of a partition in gA or sA
};

// The tensors of one step of one operand, for instance the copy from global to shared memory.
struct StageLayouts {
  std::string step;  // A: global -> shared
  std::string atom;  // the instruction; empty where the compiler chooses
  std::vector<NamedLayout> tensors;
};

// Atom -> atom layout -> permutation -> CTA tile, in M, N and K.
struct Expansion {
  std::array<std::int64_t, 3> atom{};         // elements of one instruction
  std::array<std::int64_t, 3> atoms{};        // instructions side by side, each on threads of its own
  std::array<std::int64_t, 3> permutation{};  // elements that all threads hold together
  std::array<std::int64_t, 3> tile{};
  std::int64_t atom_threads = 0;
  std::int64_t threads = 0;
};

// Instructions of one warp, or of one group of threads that executes the instruction together. A k-block is what one
// cute::gemm over (MMA, MMA_M, MMA_N) takes: one value of the fragments' K mode.
struct InstructionCount {
  std::string what;  // mma, A: shared -> registers
  std::string atom;
  std::int64_t per_k_block = 0;  // 0: not part of the k-block
  std::int64_t per_k_tile = 0;
  std::int64_t cta_per_k_tile = 0;  // all warps; of the epilogue: of the whole output tile
};

struct FragmentSize {
  std::string name;         // tCrA
  std::int64_t values = 0;  // of a thread
  int bits = 0;             // of a value
  std::int64_t registers = 0;
};

struct Overview {
  std::int64_t thread = 0;
  CtaIndex cta;
  std::vector<StageLayouts> stages;
  Expansion expansion;
  std::vector<InstructionCount> counts;
  std::vector<FragmentSize> fragments;
  GemmWalk walk;  // of a k-block
};

// Partitions are those of `thread`, global tensors those of `cta`. Throws Error(bad_input) for a copy that CuTe would
// not compile, and for a thread or a CTA that there is not.
[[nodiscard]] Overview overview(const Kernel& kernel, std::int64_t thread = 0, CtaIndex cta = {});

// A copy of the kernel at which CuTe would stop, and why.
struct Refusal {
  std::string site;  // A: shared -> registers
  std::string message;
  std::string hint;
};
[[nodiscard]] std::vector<Refusal> refusals(const Kernel& kernel);

}  // namespace tileloom::trace
