// SPDX-License-Identifier: Apache-2.0
// One element followed from global memory to the results that it feeds, a result followed to global memory, and back
// from a register to its elements.
//
//   const RouteTracer tracer(kernel);
//   const Route route = tracer.follow(Operand::a, {0, 9}, /*k_tile=*/0);
//   route.holders[0].load->source_lane       // 16: whose row address leads to the element
//   route.holders[0].place.slot              // 5
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tileloom/trace/grid.hpp"
#include "tileloom/trace/kernel.hpp"
#include "tileloom/trace/slab.hpp"
#include "tileloom/trace/tile_table.hpp"

namespace tileloom::trace {

// Where the element lies in the matrix.
struct GlobalPlace {
  hw::MatrixPosition element;  // in the matrix
  std::int64_t offset = 0;     // in elements from the matrix's start
  std::int64_t byte = 0;
};

// A copy instruction of one thread that moves the element.
struct CopyPlace {
  int thread = 0;
  hw::MatrixPosition first, last;           // what one instruction of this thread moves, in the tile
  int position = 0;                         // of the element among them
  int bytes = 0;                            // that it moves
  std::optional<std::int64_t> global_byte;  // of the first element, where one end is global memory
};

struct SharedPlace {
  std::int64_t stage = 0;           // of D: the part's place in sC
  std::int64_t before_swizzle = 0;  // offset in elements of the operand's tensor
  std::int64_t offset = 0;
  std::int64_t byte = 0;  // in the CTA's shared memory
  int bank = 0;
};

// The copy from shared memory to registers. e counts the elements of one instruction's block, tv the reference thread
// and value of the instruction, q the elements of the tiled MMA's tile, as CuTe's layouts do.
struct LoadPlace {
  int source_thread = 0;
  int source_lane = 0;
  hw::MatrixPosition first, last;  // what the source thread addresses: the row of ldmatrix
  int position = 0;                // of the element in it
  std::int64_t e = 0, tv = 0, q = 0;
};

// A value in a thread's fragment.
struct RegisterPlace {
  int thread = 0, warp = 0, lane = 0;
  int value = 0;                           // 1-D coordinate of the fragment
  std::int64_t slot = 0;                   // offset in the fragment
  std::array<int, 3> mma{};                // (value, repeat in the first mode, in the second): the index of tCrA
  std::optional<std::array<int, 3>> copy;  // index of tXrA, where a copy loads it; of tCrC_r2s, where one stores it
  hw::RegisterBits bits;                   // of the instruction's operand
};

struct Holder {
  RegisterPlace place;
  std::optional<LoadPlace> load;  // of A and B
};

// The results that an element of A or B is a factor of: a row or column of D in the CTA's tile, and who holds it.
struct Feeds {
  hw::MatrixPosition in_atom;          // the element within one instruction's operand
  hw::MatrixPosition first, last;      // of D
  std::vector<int> warps, lanes;       // ascending, each once
  std::vector<std::string> registers;  // d0, ... of the instruction
};

// A and B: global, copies, shared, holders with their loads, feeds. D: holders, stores, shared in its slab, copies,
// global. What the kernel does not have is empty.
struct Route {
  Operand operand = Operand::a;
  hw::MatrixPosition element;  // in the CTA's tile
  std::int64_t k_tile = 0;
  CtaIndex cta;
  std::optional<GlobalPlace> global;
  std::vector<CopyPlace> copies;  // between global and shared memory
  std::optional<SharedPlace> shared;
  std::vector<Holder> holders;    // by thread: several where warps share an operand
  std::vector<CopyPlace> stores;  // of D: registers -> shared memory
  std::optional<SlabPlace> slab;  // of D
  std::optional<Feeds> feeds;     // of A and B
};

// Elements in one register of one thread, one row for each fragment repeat.
struct RegisterContent {
  std::array<int, 3> mma{};  // of the first value
  int value = 0;             // 1-D coordinate of the first value
  std::vector<std::int64_t> slots;
  std::vector<hw::MatrixPosition> elements;  // in the tile, the lowest bits first
};

// A register and the way of each of its elements.
struct RegisterReport {
  std::string name;
  Operand operand = Operand::a;
  int thread = 0, warp = 0, lane = 0;
  std::int64_t k_tile = 0;
  CtaIndex cta;
  std::vector<RegisterContent> contents;
  std::vector<std::vector<Route>> routes;  // by content and element; the only holder is this thread, feeds are empty
};

class RouteTracer {
 public:
  // Throws Error(bad_input) for a CTA outside the grid. The kernel must outlive the tracer.
  explicit RouteTracer(const Kernel& kernel, CtaIndex cta = {});

  // Throws Error(bad_input) for an element outside the tile and a k-tile that the matrix does not have.
  [[nodiscard]] Route follow(Operand operand, hw::MatrixPosition element, std::int64_t k_tile = 0) const;
  // `name` is PTX's: a2, b1, d0 (c0). Throws Error(bad_input) for a register or lane that there is not.
  [[nodiscard]] std::vector<RegisterContent> contents(const std::string& name, int warp, int lane) const;
  // The same with the way of each element. D has one k-tile, 0.
  [[nodiscard]] RegisterReport report(const std::string& name, int warp, int lane, std::int64_t k_tile = 0) const;

  // Who holds which element of an operand.
  [[nodiscard]] const TileTable& registers(Operand o) const;
  [[nodiscard]] RegisterPlace place(Operand operand, hw::Holding holding) const;

 private:
  struct Index;  // everything that does not depend on the element

  [[nodiscard]] Route without_holders(Operand operand, hw::MatrixPosition element, std::int64_t k_tile) const;
  [[nodiscard]] Holder holder(Operand operand, hw::MatrixPosition element, hw::Holding holding) const;
  void store_route(Route& r) const;
  [[nodiscard]] GlobalPlace global_place(const OperandPath& path, hw::MatrixPosition p, std::int64_t k_tile) const;
  [[nodiscard]] SharedPlace shared_place(const OperandPath& path, hw::MatrixPosition p, std::int64_t stage) const;
  [[nodiscard]] LoadPlace load_place(const OperandPath& path, hw::MatrixPosition p, RegisterPlace& place) const;
  [[nodiscard]] Feeds feeds(Operand operand, hw::MatrixPosition p) const;

  const Kernel* kernel_;
  CtaIndex cta_;
  std::shared_ptr<const Index> index_;
};

}  // namespace tileloom::trace
