// SPDX-License-Identifier: Apache-2.0
// Questions that users of CuTe asked in public, each as the kind of fault that it is.
#include <gtest/gtest.h>

#include "unit/trace/support.hpp"

namespace tileloom::trace::test {
namespace {

std::string source_of(const TiledMma& mma, Operand operand, const std::string& copy_atom, const std::string& tensor) {
  const TiledCopy copy = tiled_copy_for(mma, operand, hw::copy_atom(copy_atom));
  const AnyLayout part = copy.partition_source(any_layout(tensor), thread(0)).layout;
  check_vectorizes(copy, End::source, part, std::string(1, letter(operand)));
  return to_string(part);
}

// tile-ai/tilelang 964 and the same assertion elsewhere, "TiledCopy uses too few vals": a copy that moves more values
// than the tile has for a thread.
TEST(Tilelang_964, b_of_one_atom_in_n) {
  const std::string b = "(_64,_32):(_32,_1)";
  const TiledMma narrow = tiled_mma(half_mma, "(_4,_1,_1)", "<_64,_8,_16>");
  const auto [message, hint] = error_of([&] { return source_of(narrow, Operand::b, "SM75_U32x4_LDSM_N", b); });
  EXPECT_EQ(message, "tiled copy B: SM75_U32x4_LDSM_N moves 8 values a thread, the tiled MMA holds 4 a thread along N");
  EXPECT_EQ(hint, "use SM75_U32x2_LDSM_N, or give the MMA a permutation of at least 16 in N");
  // Both ways out of the hint work.
  EXPECT_EQ(source_of(narrow, Operand::b, "SM75_U32x2_LDSM_N", b), "((_8,_1),_8,_2):((_1,_0),_256,_16)");
  const TiledMma wide = tiled_mma(half_mma, "(_4,_1,_1)", "<_64,_16,_16>");
  EXPECT_EQ(source_of(wide, Operand::b, "SM75_U32x4_LDSM_N", b), "((_8,_1),_4,_2):((_1,_0),_512,_16)");
}

TEST(Tilelang_964, a_of_a_short_atom) {
  const std::string a = "(_64,_32):(_32,_1)";
  const TiledMma narrow = tiled_mma("SM80_16x8x8_F16F16F16F16_TN", "(_1,_1,_1)", "<_16,_8,_8>");
  const auto [message, hint] = error_of([&] { return source_of(narrow, Operand::a, "SM75_U32x4_LDSM_N", a); });
  EXPECT_EQ(message, "tiled copy A: SM75_U32x4_LDSM_N moves 8 values a thread, the tiled MMA holds 4 a thread along M");
  EXPECT_EQ(hint, "use SM75_U32x2_LDSM_N, or give the MMA a permutation of at least 32 in M");
  EXPECT_EQ(source_of(tiled_mma("SM80_16x8x8_F16F16F16F16_TN", "(_1,_1,_1)", "<_32,_8,_8>"), Operand::a,
                      "SM75_U32x4_LDSM_N", a),
            "((_8,_1),_2,_4):((_1,_0),_1024,_8)");
}

// The hint is a promise for any atom that moves too much.
TEST(Tilelang_964, every_hint_leads_to_an_accepted_copy) {
  int refused = 0;
  for (const char* atom : {half_mma, "SM80_16x8x8_F16F16F16F16_TN", "SM75_8x8x16_S32S8S8S32_TN"}) {
    const TiledMma mma = tiled_mma(atom);
    for (const hw::CopyAtom& copy : hw::copy_atoms()) {
      for (const Operand operand : {Operand::a, Operand::b}) {
        const auto [message, hint] = error_of([&] { return tiled_copy_for(mma, operand, copy); });
        if (message.find(" values a thread, the tiled MMA holds ") == std::string::npos) {
          continue;
        }
        ++refused;
        const std::size_t mode = operand == Operand::a ? 0 : 1;
        const std::size_t at = hint.find("at least ") + 9;
        std::vector<layout::Tiler> permutation(3, Int::make_any());
        permutation[mode] = Int::make_static(std::stoi(hint.substr(at)));
        const TiledMma wider(mma.atom(), {}, layout::Tiler(permutation), Semantics::cute);
        EXPECT_NO_THROW((void)tiled_copy_for(wider, operand, copy)) << hint;
        if (hint.starts_with("use ")) {
          EXPECT_NO_THROW((void)tiled_copy_for(mma, operand, hw::copy_atom(hint.substr(4, hint.find(',') - 4))))
              << hint;
        }
      }
    }
  }
  EXPECT_GT(refused, 10);
}

// NVIDIA/cutlass 2710, 2016: what the third argument of a tiled MMA is. No permutation of M, N and K: for each of them
// how far the tile reaches (an integer), or in which order it takes its rows (a layout).
TEST(Cutlass_2710_2016, an_integer_is_a_reach) {
  const TiledMma plain = tiled_mma("SM70_8x8x4_F32F16F16F32_TN", "(_2,_2,_1)");
  const TiledMma reach = tiled_mma("SM70_8x8x4_F32F16F16F32_TN", "(_2,_2,_1)", "<_32,_32,_4>");
  EXPECT_EQ(to_string(plain.tile_size()), "(_16,_16,_4)");
  EXPECT_EQ(to_string(reach.tile_size()), "(_32,_32,_4)");
  EXPECT_EQ(reach.threads(), plain.threads());
  const auto values = [](const TiledMma& m, Operand o) { return size(LayoutRef(m.layout_tv(o))[1]).value; };
  EXPECT_EQ(values(reach, Operand::a), 2 * values(plain, Operand::a));
  EXPECT_EQ(values(reach, Operand::b), 2 * values(plain, Operand::b));
  EXPECT_EQ(values(reach, Operand::c), 4 * values(plain, Operand::c));
  const auto [message, hint] =
      error_of([] { return tiled_mma(half_mma, "(_1,_1,_1)", "<_1,_2,_3>", Semantics::correct); });
  EXPECT_EQ(message,
            "tiled MMA: the permutation has 1 in M, expected a multiple of the 16 of 1 atom of "
            "SM80_16x8x16_F16F16F16F16_TN");
  EXPECT_EQ(hint, "give a multiple, or _ for exactly that");
}

TEST(Cutlass_2710_2016, a_layout_reorders_and_changes_no_count) {
  const TiledMma plain = tiled_mma(half_mma, "(_1,_1,_1)", "<_16,_32,_16>");
  const TiledMma ordered = tiled_mma(half_mma, "(_1,_1,_1)", "<_16,(_2,_4,_4):(_1,_8,_2),_16>");
  EXPECT_EQ(ordered.tile_size(), plain.tile_size());
  const Layout before = plain.layout_tv(Operand::b);
  const Layout after = ordered.layout_tv(Operand::b);
  EXPECT_EQ(size(after), size(before));
  for (std::int64_t i = 0; i < size(after).value; ++i) {
    const std::int64_t n = before(i) % 32;
    EXPECT_EQ(after(i) / 32, before(i) / 32) << "k stays";
    EXPECT_EQ(after(i) % 32, n % 2 + 8 * (n / 2 % 4) + 2 * (n / 8)) << "n goes through the layout";
  }
}

// NVIDIA/cutlass 1953: ldmatrix.trans moves pairs of bytes; two int8 neighbours stay together, so a plain N-major B has
// no rows that it could read at once. A shared layout that interleaves two k with eight n has.
TEST(Cutlass_1953, trans_keeps_pairs_of_bytes_together) {
  const TiledMma mma = tiled_mma("SM80_16x8x32_S32S8S8S32_TN", "(_1,_1,_1)", "<_16,_32,_32>");
  const TiledCopy load = tiled_copy_for(mma, Operand::b, hw::copy_atom("SM75_U16x8_LDSM_T"));
  EXPECT_EQ(to_string(load.partition_source(any_layout("(_64,_32):(_1,_64)"), thread(0)).layout),
            "(((_2,_8),_2),_2,_1):(((_64,_1),_16),_32,_0)");
  const auto [message, hint] =
      error_of([&] { return source_of(mma, Operand::b, "SM75_U16x8_LDSM_T", "(_64,_32):(_1,_64)"); });
  EXPECT_EQ(message,
            "tiled copy B: SM75_U16x8_LDSM_T needs 16 neighbouring values, the source has them at (_2,_8):(_64,_1)");
  EXPECT_EQ(hint, "choose a layout, swizzle or permutation that keeps 16 together");
  EXPECT_EQ(source_of(mma, Operand::b, "SM75_U16x8_LDSM_T", "((_8,_4),(_2,_16)):((_2,_256),(_1,_16))"),
            "(((_2,_8),_2),_1,_1):(((_1,_2),_512),_0,_0)");
}

// NVIDIA/cutlass 2116, the same for wider elements: .trans takes a 32-bit element apart.
TEST(Cutlass_2116, trans_takes_wide_elements_apart) {
  const TiledMma mma = tiled_mma("SM80_16x8x8_F32TF32TF32F32_TN", "(_1,_1,_1)", "<_32,_32,_8>");
  for (const Semantics semantics : {Semantics::cute, Semantics::correct}) {
    const auto [message, hint] = error_of([&] {
      return TiledCopy(hw::copy_atom("SM75_U16x4_LDSM_T"), 32, mma.layout_tv(Operand::a),
                       layout::parse_tree("(_32,_8)"), semantics);
    });
    EXPECT_EQ(message, "tiled copy: SM75_U16x4_LDSM_T takes values of 32 bits apart");
    EXPECT_EQ(hint, "it keeps 16 bits together; choose another instruction");
  }
  EXPECT_NO_THROW((void)tiled_copy_for(mma, Operand::a, hw::copy_atom("SM75_U32x4_LDSM_N")));
}

// NVIDIA/cutlass 1358: a stride of 1 that is known at run time only does not count as contiguous, on either side.
TEST(Cutlass_1358, a_run_time_one_is_not_contiguous) {
  const TiledCopy copy = make_tiled_copy(hw::copy_atom("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>"), 16,
                                         layout::parse_layout("(_16,_2):(_2,_1)"),
                                         layout::parse_layout("(_1,_8):(_0,_1)"), Semantics::cute);
  for (const End end : {End::source, End::destination}) {
    const AnyLayout dynamic = copy.partition(end, any_layout("(_32,_32):(_32,1)"), thread(0)).layout;
    const auto [message, hint] = error_of([&] {
      check_vectorizes(copy, end, dynamic, "A");
      return 0;
    });
    EXPECT_EQ(message,
              std::string("tiled copy A: SM80_CP_ASYNC_CACHEALWAYS<uint128_t> needs 8 neighbouring values, the ") +
                  (end == End::source ? "source" : "destination") + " has them at _8:1");
    EXPECT_EQ(hint, "a stride that is known only at run time does not count as contiguous: make the 1 static, _1");
    const AnyLayout fixed = copy.partition(end, any_layout("(_32,_32):(_32,_1)"), thread(0)).layout;
    EXPECT_NO_THROW(check_vectorizes(copy, end, fixed, "A"));
    EXPECT_EQ(to_string(fixed), "((_8,_1),_2,_2):((_1,_0),_512,_16)");
  }
}

// NVIDIA/cutlass 2542: float accumulators stored as half, two at a time. The fragment has to be converted first.
TEST(Cutlass_2542, a_32_bit_copy_of_halves_does_not_take_floats) {
  const TiledMma mma = tiled_mma("SM80_16x8x8_F32F16F16F32_TN", "(_1,_1,_1)", "<_64,_64,_8>");
  const AnyLayout c = any_layout("(_64,_64):(_64,_1)");
  const Layout fragment = mma.make_fragment(Operand::c, mma.partition(Operand::c, c, thread(0)).layout);
  EXPECT_EQ(to_string(fragment), "((_2,_2),_4,_8):((_1,_2),_4,_16)");
  const TiledCopy store(hw::copy_atom("UniversalCopy<uint32_t>"), 16, mma.layout_tv(Operand::c),
                        layout::parse_tree("(_64,_64)"), Semantics::cute);
  const AnyLayout registers = store.retile(fragment);
  EXPECT_EQ(to_string(registers), "((_2,_64),_1,_1):((_1,_2),_0,_0)");
  const auto [message, hint] = error_of([&] {
    check_vectorizes(store, End::source, registers, "C", 32);
    return 0;
  });
  EXPECT_EQ(message,
            "tiled copy C: UniversalCopy<uint32_t> takes 32 bits at once, the source has 2 values of 32 bits for it");
  EXPECT_EQ(hint, "convert the source to 16-bit values first");
  EXPECT_NO_THROW(check_vectorizes(store, End::source, registers, "C"));
  EXPECT_NO_THROW(check_vectorizes(store, End::destination, store.partition_destination(c, thread(0)).layout, "C"));
}

TEST(Cutlass_2542, an_instruction_narrower_than_a_value_is_refused) {
  const TiledMma mma = tiled_mma("SM80_16x8x8_F32F16F16F32_TN");
  const TiledCopy store = tiled_copy_for(mma, Operand::c, hw::copy_atom("UniversalCopy<uint16_t>"));
  const auto [message, hint] = error_of([&] {
    check_vectorizes(store, End::destination,
                     store.partition_destination(any_layout("(_16,_8):(_8,_1)"), thread(0)).layout, "C");
    return 0;
  });
  EXPECT_EQ(
      message,
      "tiled copy C: UniversalCopy<uint16_t> takes 16 bits at once, the destination has 1 value of 32 bits for it");
  EXPECT_EQ(hint, "choose an instruction of at least 32 bits");
}

// NVIDIA/cutlass 2048: in C++, (Int<8>{}, Int<4>{}) without make_shape is the comma operator, and only the 4 is left.
// Here parentheses always nest.
TEST(Cutlass_2048, parentheses_inside_a_shape_are_a_shape) {
  const auto threads_of = [](const std::string& shape) {
    return make_tiled_copy(hw::copy_atom("UniversalCopy<uint16_t>"), 16, make_layout(layout::parse_tree(shape)),
                           layout::parse_layout("(_1,_1):(_0,_0)"), Semantics::cute)
        .threads()
        .value;
  };
  EXPECT_EQ(threads_of("(_4,(_8,_4))"), 128);
  EXPECT_EQ(threads_of("(_4,_4)"), 16) << "what the comma operator leaves";
}

// A sibling of NVIDIA/cutlass 1766: a swizzle that moves pieces smaller than a row of ldmatrix takes the rows apart.
TEST(Cutlass_1766, rows_of_ldmatrix_need_16_bytes_that_stay_together) {
  const TiledMma mma = tiled_mma(half_mma);
  const auto source = [&](const std::string& swizzle) {
    return source_of(mma, Operand::a, "SM75_U32x4_LDSM_N",
                     "tile_to_shape(" + swizzle + " o _0 o (_8,_32):(_32,_1), (_16,_32))");
  };
  EXPECT_NO_THROW((void)source("Sw<3,3,3>"));
  const auto [message, hint] = error_of([&] { return source("Sw<3,2,3>"); });
  EXPECT_EQ(message,
            "tiled copy A: SM75_U32x4_LDSM_N needs 8 neighbouring values, the source has them at (_4,_2):(_1,4)");
  EXPECT_EQ(hint, "choose a layout, swizzle or permutation that keeps 8 together");
}

// A thread that holds whole swizzled rows keeps the swizzle. CuTe does not look at its base and copies the pieces in
// the wrong order; here that is refused.
TEST(Cutlass_1766, pieces_smaller_than_a_vector_are_not_contiguous) {
  const TiledCopy copy =
      make_tiled_copy(hw::copy_atom("UniversalCopy<uint128_t>"), 16, layout::parse_layout("(_1,_1):(_0,_0)"),
                      layout::parse_layout("(_1,_8):(_0,_1)"), Semantics::cute);
  for (const auto& [base, good] : {std::pair(3, true), {2, false}}) {
    const AnyLayout part =
        copy.partition_source(any_layout("Sw<3," + std::to_string(base) + ",3> o _0 o (_8,_64):(_64,_1)"), thread(0))
            .layout;
    ASSERT_TRUE(std::holds_alternative<layout::ComposedLayout>(part));
    const auto [message, hint] = error_of([&] {
      check_vectorizes(copy, End::source, part, "A");
      return 0;
    });
    EXPECT_EQ(message == "accepted", good) << message;
  }
}

}  // namespace
}  // namespace tileloom::trace::test
