// SPDX-License-Identifier: Apache-2.0
// Pictures of layouts, read back from the SVG: each cell against the layout's definition, written out here.
#include "render/draw/layout_pictures.hpp"

#include <gtest/gtest.h>

#include <random>

#include "unit/draw/support.hpp"

namespace tileloom::render::draw {
namespace {

using Leaves = std::vector<std::pair<std::int64_t, std::int64_t>>;  // size and stride, first fastest

// Two modes with one or more leaves each, as text and as numbers.
struct Sample {
  std::string text;
  std::array<Leaves, 2> modes;
};

std::int64_t size_of(const Leaves& mode) {
  std::int64_t n = 1;
  for (const auto& [size, stride] : mode) {
    n *= size;
  }
  return n;
}

std::int64_t offset_in(const Leaves& mode, std::int64_t coordinate) {
  std::int64_t offset = 0;
  for (const auto& [size, stride] : mode) {
    offset += coordinate % size * stride;
    coordinate /= size;
  }
  return offset;
}

Sample random_sample(std::mt19937& random, std::int64_t least_stride) {
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  Sample s;
  std::string shape;
  std::string stride;
  for (Leaves& mode : s.modes) {
    std::string sizes;
    std::string strides;
    for (std::int64_t i = draw(1, 3); i > 0; --i) {
      mode.emplace_back(draw(1, 5), draw(least_stride, 300));
      sizes += (sizes.empty() ? "" : ",") + std::to_string(mode.back().first);
      strides += (strides.empty() ? "" : ",") + std::to_string(mode.back().second);
    }
    shape += (shape.empty() ? "(" : ",(") + sizes + ")";
    stride += (stride.empty() ? "(" : ",(") + strides + ")";
  }
  s.text = "(" + shape + "):(" + stride + ")";
  return s;
}

TEST(LayoutPicture, each_cell_is_the_offset_of_its_coordinate) {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    const Sample s = random_sample(random, -300);
    const auto cells = read_back(layout_picture(any(s.text))).panels.at("panel");
    ASSERT_EQ(cells.size(), static_cast<std::size_t>(size_of(s.modes[0]) * size_of(s.modes[1]))) << s.text;
    for (const auto& [at, cell] : cells) {
      const std::int64_t offset = offset_in(s.modes[0], at.first) + offset_in(s.modes[1], at.second);
      ASSERT_EQ(cell, offset_cell(offset)) << s.text << " at " << at.first << "," << at.second;
    }
  }
}

TEST(LayoutPicture, a_swizzle_acts_on_the_offset) {
  const auto cells = read_back(layout_picture(any("Sw<2,1,3> o _4 o (_8,_8):(_8,_1)"))).panels.at("panel");
  ASSERT_EQ(cells.size(), 64U);
  for (const auto& [at, cell] : cells) {
    const std::int64_t x = 4 + 8 * at.first + at.second;
    ASSERT_EQ(cell, offset_cell(x ^ (x >> 3 & 6)));
  }
}

TEST(LayoutPicture, rank_1_runs_in_rows_of_32) {
  const auto picture = layout_picture(any("_70:_3"));
  const auto cells = read_back(picture).panels.at("panel");
  ASSERT_EQ(cells.size(), 70U);
  for (const auto& [at, cell] : cells) {
    ASSERT_EQ(cell, offset_cell(3 * (32 * at.first + at.second)));
  }
  EXPECT_EQ(picture.panels[0].row_step, 32);
}

TEST(LayoutPicture, coordinates_have_no_colour) {
  const Picture p = layout_picture(any("(_4,_3):(_1@0,_1@1)"));
  const auto cells = read_back(p).panels.at("panel");
  for (const auto& [at, cell] : cells) {
    EXPECT_EQ(cell, (test::SvgCell{"cx", {"(" + std::to_string(at.first) + "," + std::to_string(at.second) + ")"}}));
  }
  EXPECT_EQ(p.key, "");
}

TEST(LayoutPicture, heavy_lines_where_an_inner_mode_starts_again) {
  const Panel p = layout_picture(any("((_8,_16),(_1,_32)):((_32,_256),(_0,_1))")).panels[0];
  EXPECT_EQ(p.row_block, 8);
  EXPECT_EQ(p.column_block, 0);
}

TEST(LayoutPicture, other_ranks_and_sizes_are_refused) {
  EXPECT_EQ(error_of([] { return layout_picture(any("(_4,_2,_3):(_1,_4,_8)")); }),
            std::pair(std::string("draw: (_4,_2,_3):(_1,_4,_8) has rank 3, expected 1 or 2"),
                      std::string("slice((_,_,0), L) leaves modes 0 and 1; group(L, 1, 3) puts 1 and 2 into one")));
  EXPECT_EQ(error_of([] { return layout_picture(any("(_2,_2,_2,_2):(_1,_2,_4,_8)")); }).second,
            "group(L, 1, 4) puts the modes from 1 on into one");
  EXPECT_EQ(error_of([] { return layout_picture(any("(_1024,_512):(_512,_1)")); }),
            std::pair(std::string("draw: 524288 cells, expected at most 262144"),
                      std::string("draw a part: composition(L, (_64,_64)) is the first 64 x 64, slice((_,0), L) one "
                                  "column")));
  EXPECT_EQ(error_of([] { return layout_picture(any("(_1048576,_1048576):(_1,_0)")); }).first,
            "draw: 1099511627776 cells, expected at most 262144");
  // The ways out lead out.
  EXPECT_NO_THROW((void)layout_picture(any("slice((_,_,0), (_4,_2,_3):(_1,_4,_8))")));
  EXPECT_NO_THROW((void)layout_picture(any("group((_4,_2,_3):(_1,_4,_8), 1, 3)")));
  EXPECT_NO_THROW((void)layout_picture(any("composition((_1024,_512):(_512,_1), (_64,_64))")));
  EXPECT_NO_THROW((void)layout_picture(any("slice((_,0), (_1024,_512):(_512,_1))")));
}

TEST(LayoutPicture, hundreds_of_thousands_of_cells) {
  const auto cells = read_back(layout_picture(any("(_512,_512):(_1,_512)"))).panels.at("panel");
  ASSERT_EQ(cells.size(), static_cast<std::size_t>(max_cells));
  EXPECT_EQ(cells.at({511, 511}), offset_cell(max_cells - 1));
}

// --- Banks -------------------------------------------------------------------------------------------------------

TEST(BankPicture, each_cell_has_the_bank_of_its_first_byte) {
  std::mt19937 random(8);
  for (const int bits : {4, 8, 16, 32, 64, 128}) {
    const Sample s = random_sample(random, 0);
    const auto cells = read_back(bank_picture(any(s.text), bits)).panels.at("panel");
    for (const auto& [at, cell] : cells) {
      const std::int64_t offset = offset_in(s.modes[0], at.first) + offset_in(s.modes[1], at.second);
      const std::int64_t bank = offset * bits / 32 % 32;
      ASSERT_EQ(cell,
                (test::SvgCell{"c" + std::to_string(bank / 4), {std::to_string(offset), "b" + std::to_string(bank)}}));
    }
  }
}

TEST(BankPicture, the_cost_of_a_matrix_of_ldmatrix) {
  const auto note = [](const std::string& text, int bits) {
    const Picture p = bank_picture(any(text), bits);
    return p.notes.size() > 1 ? p.notes[1] : "none";
  };
  const std::string outlined = "outlined: 8 rows of 16 bytes, one matrix of ldmatrix";
  EXPECT_EQ(note("(_8,_64):(_64,_1)", 16), outlined + ": 8 wavefronts, 1 without conflicts");
  EXPECT_EQ(note("(_8,_32):(_32,_1)", 16), outlined + ": 4 wavefronts, 1 without conflicts");
  EXPECT_EQ(note("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", 16), outlined + ": 1 wavefront, no conflict");
  EXPECT_EQ(note("(_8,_72):(_72,_1)", 16), outlined + ": 1 wavefront, no conflict");
  EXPECT_EQ(note("(_64,_8):(_1,_64)", 16), outlined + ".trans: 8 wavefronts, 1 without conflicts");
  EXPECT_EQ(note("(_8,_64):(_65,_1)", 16), "none");  // rows that do not start at multiples of 16 bytes
  EXPECT_EQ(note("(_4,_64):(_64,_1)", 16), "none");
  EXPECT_EQ(note("_64:_1", 16), "none");
  EXPECT_EQ(read_back(bank_picture(any("(_8,_64):(_64,_1)"), 16)).marks,
            (std::vector<std::array<int, 4>>{{0, 0, 8, 8}}));
  EXPECT_EQ(read_back(bank_picture(any("(_8,_64):(_64,_1)"), 8)).marks,
            (std::vector<std::array<int, 4>>{{0, 0, 8, 16}}));
}

TEST(BankPicture, refusals) {
  for (const int bits : {0, 3, 24, 256, -16}) {
    EXPECT_EQ(error_of([&] { return bank_picture(any("_8:_1"), bits); }).first,
              "--bits: expected 4, 8, 16, 32, 64 or 128, found " + std::to_string(bits));
  }
  EXPECT_EQ(error_of([] { return bank_picture(any("(_2,_2):(_1@0,_1@1)"), 16); }).first,
            "draw: (_2,_2):(_1@0,_1@1) gives coordinates, expected offsets, which have banks");
}

// --- Thread-value layouts ----------------------------------------------------------------------------------------

TEST(TvPicture, each_element_shows_its_lowest_thread) {
  const std::string text = "((_4,_8,_2),(_2,_2)):((_32,_1,_0),(_16,_8))";  // threads 32 to 63 hold the same
  const layout::Layout tv = layout::parse_layout(text);
  const Picture p = tv_picture(tv, layout::parse_tree("(_16,_8)"));
  const auto cells = read_back(p).panels.at("panel");
  ASSERT_EQ(cells.size(), 128U);
  for (int v = 0; v < 4; ++v) {
    for (int t = 0; t < 32; ++t) {
      const auto element = static_cast<int>(tv(t + 64 * v));
      test::SvgCell expected = owner_cell(t, v);
      expected.texts[0] += " +1";
      EXPECT_EQ(cells.at({element % 16, element / 16}), expected);
    }
  }
  EXPECT_EQ(p.panels[0].cells[0].holders, (std::vector<hw::Holding>{{0, 0}, {32, 0}}));
}

TEST(TvPicture, elements_that_nobody_holds_are_blank) {
  const auto cells = read_back(tv_picture(layout::parse_layout("(_2,_2):(_1,_4)"), layout::parse_tree("_8")));
  EXPECT_EQ(cells.panels.at("panel").at({0, 3}), (test::SvgCell{"cx", {}}));
  EXPECT_EQ(cells.panels.at("panel").at({0, 5}), owner_cell(1, 1));
}

TEST(TvPicture, refusals) {
  const auto draw = [](const std::string& tv, const std::string& tile) {
    return error_of([&] { return tv_picture(layout::parse_layout(tv), layout::parse_tree(tile)); }).first;
  };
  EXPECT_EQ(draw("(_4,_2):(_1,_4)", "(_2,_3)"),
            "--tv: thread 2, value 1 is element 6, expected 0 to 5, those of the tile (2,3)");
  EXPECT_EQ(draw("(_4,_2):(_1,-4)", "_8"),
            "--tv: thread 0, value 1 is element -4, expected 0 to 7, those of the tile 8");
  EXPECT_EQ(draw("_4:_1", "_8"), "--tv: _4:_1 has rank 1, expected 2: (thread, value)");
  EXPECT_EQ(draw("(_1048576,_2):(_0,_0)", "_8"), "draw: 2097152 cells, expected at most 262144");
  EXPECT_EQ(draw("(_4,_2):(_1@0,_1@1)", "_8"),
            "--tv: thread 0, value 0 is element (0,0), expected 0 to 7, those of the tile 8");
}

}  // namespace
}  // namespace tileloom::render::draw
