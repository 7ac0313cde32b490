// SPDX-License-Identifier: Apache-2.0
// Pictures of instructions and tilings, read back from the SVG and compared with the thread-value layouts, by walking
// every thread and value.
#include "render/draw/owner_pictures.hpp"

#include <gtest/gtest.h>

#include "unit/draw/support.hpp"

namespace tileloom::render::draw {
namespace {

using Cells = std::map<std::pair<int, int>, test::SvgCell>;
using layout::Layout;
using layout::LayoutRef;
using trace::End;
using trace::Operand;

// Who holds each element of `rows` x `columns`, counted down the columns; of several the lowest thread, then value.
struct Owners {
  std::map<std::pair<int, int>, std::pair<int, int>> first;
  std::map<std::pair<int, int>, int> count;
};

Owners owners(const Layout& tv, int rows, const std::function<int(int)>& thread_id) {
  Owners o;
  const auto threads = static_cast<int>(size(LayoutRef(tv)[0]).value);
  for (std::int64_t i = 0; i < size(tv).value; ++i) {
    const std::pair holding(thread_id(static_cast<int>(i) % threads), static_cast<int>(i) / threads);
    const auto element = static_cast<int>(tv(i));
    const std::pair at(element % rows, element / rows);
    const auto [known, is_new] = o.first.try_emplace(at, holding);
    known->second = std::min(known->second, holding);
    ++o.count[at];
  }
  return o;
}

// Every cell is an element with its owner, every element a cell. `turned`: the cells are (column, row).
void expect_owners(const Cells& cells, const Owners& o, bool turned, const std::string& what) {
  ASSERT_EQ(cells.size(), o.first.size()) << what;
  for (const auto& [at, holding] : o.first) {
    test::SvgCell expected = owner_cell(holding.first, holding.second);
    if (const int more = o.count.at(at) - 1; more > 0) {
      expected.texts[0] += " +" + std::to_string(more);
    }
    ASSERT_EQ(cells.at(turned ? std::pair(at.second, at.first) : at), expected)
        << what << " " << at.first << "," << at.second;
  }
}

TEST(MmaPicture, every_instruction) {
  int drawn = 0;
  for (const hw::MmaAtom& atom : hw::mma_atoms()) {
    if (atom.m * atom.n > 1024 && atom.name != "SM90_64x256x16_F32F16F16_RS") {
      continue;  // the same family with another N
    }
    const test::Svg svg = read_back(mma_picture(atom));
    const auto lane = [&](int t) { return static_cast<int>(atom.thread_id(t)); };
    EXPECT_EQ(svg.title, atom.name);
    for (const auto& [name, operand, rows, columns] :
         {std::tuple("A", &atom.a, atom.m, atom.k), std::tuple("B", &atom.b, atom.n, atom.k),
          std::tuple("C", &atom.c, atom.m, atom.n)}) {
      const Cells& cells = svg.panels.at(std::string("panel-") + name);
      ASSERT_EQ(cells.size(), static_cast<std::size_t>(rows * columns)) << atom.name;
      if (operand->holder == hw::Holder::registers) {
        expect_owners(cells, owners(operand->tv, rows, lane), *name == 'B', atom.name + " " + name);
      } else {
        EXPECT_EQ(cells.at({0, 0}), (test::SvgCell{"cx", {}}));
      }
    }
    ++drawn;
  }
  EXPECT_GT(drawn, 90);
}

trace::TiledMma tiled_mma(const std::string& atom, const std::string& atoms, const std::string& permutation) {
  return trace::TiledMma(
      hw::mma_atom(atom), make_layout(layout::parse_tree(atoms)),
      permutation.empty() ? layout::Tiler(layout::Int::make_any()) : layout::parse_tiler(permutation));
}

TEST(MmaPicture, tiled_mmas) {
  const std::string atom = "SM80_16x8x16_F32F16F16F32_TN";
  for (const trace::TiledMma& mma :
       {tiled_mma(atom, "(_2,_2,_1)", "<_32,_32,_16>"), tiled_mma(atom, "(_2,_4,_1)", "<_32,_64,_16>"),
        tiled_mma(atom, "(_1,_2,_1)", "<_16,(_8,_2,_2):(_1,_16,_8),_16>"),
        tiled_mma("UniversalFMA<float>", "(_8,_4,_1)", ""),
        tiled_mma("SM90_64x64x16_F32F16F16_SS", "(_2,_1,_1)", "")}) {
    const test::Svg svg = read_back(mma_picture(mma, "k"));
    EXPECT_EQ(svg.title, "k: tiled MMA");
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      const auto [first, second] = trace::modes_of(o);
      const Cells& cells = svg.panels.at(std::string("panel-") + trace::letter(o));
      const auto rows = static_cast<int>(mma.tile_size(first).value);
      ASSERT_EQ(cells.size(), static_cast<std::size_t>(rows * mma.tile_size(second).value));
      if (mma.operand(o).holder == hw::Holder::registers) {
        const auto same = [](int t) { return t; };
        expect_owners(cells, owners(mma.layout_tv(o), rows, same), o == Operand::b, mma.atom().name);
      }
    }
  }
}

TEST(CopyPicture, every_instruction_of_matrices) {
  for (const hw::CopyAtom& atom : hw::copy_atoms()) {
    if (atom.kind == hw::CopyKind::automatic) {
      EXPECT_TRUE(error_of([&] { return copy_picture(atom); }).first.starts_with(atom.name + ": expected a copy with"));
      continue;
    }
    const test::Svg svg = read_back(copy_picture(atom));
    for (const auto& [name, end] :
         {std::pair("source", source_end(atom)), std::pair("destination", destination_end(atom))}) {
      expect_owners(svg.panels.at(std::string("panel-") + name), owners(end.tv, end.rows, [](int t) { return t; }),
                    false, atom.name);
    }
  }
}

TEST(CopyPicture, tiled_copies) {
  const trace::TiledMma mma = tiled_mma("SM80_16x8x16_F16F16F16F16_TN", "(_2,_2,_1)", "<_32,_32,_16>");
  for (const trace::TiledCopy& copy :
       {trace::make_tiled_copy(hw::copy_atom("SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>"), 16,
                               layout::parse_layout("(_32,_4):(_4,_1)"), layout::parse_layout("(_1,_8):(_0,_1)")),
        tiled_copy_for(mma, Operand::a, hw::copy_atom("SM75_U32x4_LDSM_N")),
        tiled_copy_for(mma, Operand::b, hw::copy_atom("SM75_U16x8_LDSM_T")),
        tiled_copy_for(mma, Operand::c, hw::copy_atom("UniversalCopy<uint32_t>"))}) {
    const test::Svg svg = read_back(copy_picture(copy, "copy"));
    const auto rows = static_cast<int>(product(copy.tiler()[0]).value);
    for (const auto& [name, end] : {std::pair("source", End::source), std::pair("destination", End::destination)}) {
      expect_owners(svg.panels.at(std::string("panel-") + name),
                    owners(copy.layout_tv(end), rows, [](int t) { return t; }), false, copy.atom().name);
    }
  }
}

}  // namespace
}  // namespace tileloom::render::draw
