// SPDX-License-Identifier: Apache-2.0
// Exact texts of what is refused, by kind, and the cases of public bug reports that layout text can express.
#include <gtest/gtest.h>

#include <functional>

#include "tileloom/layout/expression.hpp"

namespace tileloom::layout {
namespace {

std::string message(const std::string& text, Semantics s = Semantics::correct) {
  const Result<Value> r = try_evaluate(text, s);
  return r.ok() ? "no error: " + to_string(r.value()) : r.error().what();
}
std::string hint(const std::string& text) {
  const Result<Value> r = try_evaluate(text);
  return r.ok() ? "no error: " + to_string(r.value()) : r.error().hint();
}
std::string value(const std::string& text, Semantics s = Semantics::correct) {
  const Result<Value> r = try_evaluate(text, s);
  return r.ok() ? to_string(r.value()) : std::string("error: ") + r.error().what();
}

// --- Text --------------------------------------------------------------------------------------------------------

TEST(LayoutText, errors_point_at_the_column) {
  EXPECT_EQ(message("(_4,_8:(_8,_1)"), "column 7: expected ',' or ')', found ':'");
  EXPECT_EQ(hint("(_4,_8:(_8,_1)"), "(_4,_8:(_8,_1)\n      ^");
  EXPECT_EQ(message("(_4,_8):(_8,_1"), "column 15: expected ',' or ')', found the end");
  EXPECT_EQ(message("(_4,_8):(_8,_1))"), "column 16: expected the end, found ')'");
  EXPECT_EQ(message(""), "column 1: expected an integer, '_' or '(', found the end");
  EXPECT_EQ(message("(_4,x):(_1,_4)"), "column 5: expected an integer, '_' or '(', found 'x'");
  EXPECT_EQ(message("99999999999999999999"), "column 1: the number does not fit in 64 bits");
  EXPECT_EQ(message("Sw<3,3>"), "column 7: expected ',', found '>'");
  EXPECT_EQ(message("Sw<3,3,2> o _0 o _8:_1"),
            "column 1: Sw<3,3,2>: the shift must be at least the number of bits, or a bit would be combined with a "
            "changed one");
  EXPECT_EQ(message("Sw<3,3,3> o _0"), "column 15: expected 'o' and a layout, found the end");
}

TEST(LayoutText, incongruent_and_non_positive_layouts_are_refused) {
  EXPECT_EQ(message("(_4,_8):_1"), "column 1: layout (_4,_8):_1: shape and stride have different profiles");
  EXPECT_EQ(message("(_4,(_8)):(_1,_4)"),
            "column 1: layout (_4,(_8)):(_1,_4): shape and stride have different profiles");
  EXPECT_EQ(message("(_4,0):(_1,_4)"), "column 1: shape (_4,0) has the size 0, expected at least 1");
  EXPECT_EQ(message("_-4:_1"), "column 1: shape _-4 has the size -4, expected at least 1");
  EXPECT_EQ(message("make_layout((4,-1))"), "shape (4,-1) has the size -1, expected at least 1");
}

TEST(LayoutText, depth_size_and_numbers_are_bounded) {
  EXPECT_EQ(message(std::string(50, '(') + "1" + std::string(50, ')')), "column 41: parentheses nested deeper than 40");
  std::string calls;
  for (int i = 0; i < 60; ++i) {
    calls += "coalesce(";
  }
  EXPECT_TRUE(message(calls).starts_with("column ")) << message(calls);
  std::string wide = "(1";
  for (int i = 0; i < 5000; ++i) {
    wide += ",1";
  }
  EXPECT_EQ(message(wide + ")"), "a tree of more than 4096 nodes");
  EXPECT_EQ(message("size((4611686018427387904,4))"), "a product does not fit in 64 bits");
  EXPECT_EQ(message("eval(_4:_9223372036854775807, 3)"), "a product does not fit in 64 bits");
}

TEST(LayoutText, every_printed_form_reads_back) {
  for (const std::string text : {"_4",
                                 "4",
                                 "_-4",
                                 "-4",
                                 "_1@0",
                                 "_1@1@0",
                                 "()",
                                 "(_8)",
                                 "((_8))",
                                 "(_,1,(0,_))",
                                 "(_4,(_2,_8)):(_2,(_1,_16))",
                                 "(_128,_16,4):(64,_1,_16)",
                                 "((_2,_2,_2),_4,(_2,_2)):((_1,_512,72),_2048,(144,288))",
                                 "(_2,_2):(_4,_-1)",
                                 "Sw<3,3,3>",
                                 "Sw<2,4,-3>",
                                 "Sw<3,3,3> o _0 o (_8,_32):(_32,_1)",
                                 "Sw<3,3,3> o 17 o (_8,_32):(_32,_1)",
                                 "Sw<1,0,3> o M_8|(1&7)=9 o (_8):(_1)",
                                 "<_4:_1,_8,_>",
                                 "<_4,<_2,_2:_1>>",
                                 "LayoutLeft",
                                 "LayoutRight",
                                 "gmem_ptr[16b](0x7f0000000000) o (_8,_8):(_8,_1)",
                                 "smem_ptr[16b](0x10) o Sw<2,3,3> o _0 o (_8,_32):(_32,_1)",
                                 "Sw<2,3,3>_smem_ptr[16b](0x400) o (_8,_32):(_32,_1)",
                                 "Sw<2,3,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)",
                                 "ptr[8b](0x1)",
                                 "ArithTuple(0,_0) o (_4,_8):(_1@0,_1@1)"}) {
    EXPECT_EQ(value(text), text);
  }
  EXPECT_EQ(value(" ( _4 , 8 )\n:\t( _1 , _4 ) "), "(_4,8):(_1,_4)");
  EXPECT_EQ(value("Step<_2,_1>"), "(_2,_1)");
}

// --- Calls -------------------------------------------------------------------------------------------------------

TEST(LayoutCalls, unknown_names_and_wrong_arguments) {
  EXPECT_EQ(message("coalesc(_4:_1)"), "unknown function 'coalesc'");
  EXPECT_EQ(hint("coalesc(_4:_1)"), "did you mean coalesce?");
  EXPECT_EQ(hint("zip_divide(_4:_1, _2)"), "did you mean zipped_divide?");
  EXPECT_EQ(message("coalesce()"), "coalesce: 0 arguments, expected at least 1 and at most 2");
  EXPECT_EQ(message("idx2crd(3)"), "idx2crd: 1 argument, expected 2");
  EXPECT_EQ(hint("idx2crd(3)"), "usage: idx2crd(index, shape)");
  EXPECT_EQ(message("coalesce(Sw<1,1,1>)"), "coalesce: argument 1 is a swizzle, Sw<1,1,1>; expected a layout");
  EXPECT_EQ(message("blocked_product((2,3),(4,5))"),
            "blocked_product: argument 1 is a tuple, (2,3); expected a layout");
  EXPECT_EQ(message("coalesce"), "column 1: 'coalesce' is not a layout; a function needs its arguments in parentheses");
}

TEST(LayoutCalls, every_function_refuses_or_answers_every_single_argument) {
  for (const FunctionInfo& f : functions()) {
    for (const std::string argument : {"_4", "(_4,_2)", "_4:_1", "()", "Sw<1,1,1>", "Sw<1,1,1> o _0 o _4:_1", "<_2>",
                                       "LayoutLeft", "_", "(_,_1)", "_1@0", "ArithTuple(0,0) o (_4,_8):(_1@0,_1@1)"}) {
      for (const std::string& call :
           {std::string(f.name) + "(" + argument + ")", std::string(f.name) + "(" + argument + ", " + argument + ")",
            std::string(f.name) + "(_8:_1, " + argument + ", " + argument + ")"}) {
        const Result<Value> r = try_evaluate(call);
        EXPECT_TRUE(r.ok() || !std::string(r.error().what()).empty()) << call;
      }
    }
  }
}

// --- The algebra's refusals --------------------------------------------------------------------------------------

TEST(LayoutRefusals, composition_names_the_coordinate_and_both_values) {
  EXPECT_EQ(message("composition((_6,_2):(_1,_7), (_3,_2):(_2,_3))"),
            "composition: no layout on shape (3,2) equals A o B: at (2,1) it needs A(7) = 8, but the strides fixed by "
            "(1,0) and (0,1) give 7");
  EXPECT_EQ(hint("composition((_6,_2):(_1,_7), (_3,_2):(_2,_3))"),
            "mode 1 of B steps by 3 from offset 4 across the boundary of A's first mode (6); CuTe returns "
            "(_3,_2):(_2,_3) here, which is wrong (--cute shows it)");
  EXPECT_EQ(
      message("composition((_4,_2):(_1,_100), _6:_1)"),
      "composition: no layout on shape 6 equals A o B: at 4 it needs A(4) = 100, but the stride fixed by 1 gives 4");
}

TEST(LayoutRefusals, divides_and_complements) {
  EXPECT_EQ(message("logical_divide(_10:_1, _4:_1)"),
            "logical_divide: the tiler _4:_1 does not divide the 10 elements of _10:_1: tiles of 4 times 3 make 12");
  EXPECT_EQ(value("logical_divide(_10:_1, _4:_1)", Semantics::cute), "(_4,_3):(_1,_4)");
  EXPECT_EQ(message("complement((_4,_3):(_1,_2), _24)"),
            "complement: (_4,_3):(_1,_2) is not injective: (2,0) and (0,1) of its modes (_4,_3):(_1,_2) have the same "
            "offset");
  EXPECT_EQ(message("tile_to_shape((_8,_8):(_8,_1), (_12,_16))"),
            "tile_to_shape: the block (_8,_8) does not divide the shape (_12,_16)");
}

TEST(LayoutRefusals, inverses) {
  EXPECT_EQ(value("left_inverse((_2,_2):(_2,_3))"), "(_2,_3):(_1,_1)");
  EXPECT_EQ(message("left_inverse((_3,_3):(_2,_3))"),
            "left_inverse: (_3,_3):(_2,_3) has none: no layout leads from each offset back to its coordinate");
  EXPECT_EQ(message("left_inverse((_4,_2):(_-1,_4))"),
            "left_inverse: (_4,_2):(_-1,_4) has the offset -3, and no layout has a coordinate below 0");
}

// --- Public bug reports ------------------------------------------------------------------------------------------

struct Report {
  const char* expression;
  const char* correct;  // empty: refused
  const char* cute;     // empty: refused
};

TEST(BugReports, in_both_modes) {
  // `cute` is what the pinned headers (4.2) give, which is not always what the report saw in its version.
  const Report reports[] = {
      // 2955: divisible strides, yet mode 1 of B crosses a boundary of A
      {"composition((6,2):(1,7), (3,2):(2,3))", "", "((3,1),(2,1)):((2,7),(3,7))"},
      {"composition((_6,_2):(_1,_7), (_3,_2):(_2,_3))", "", "(_3,_2):(_2,_3)"},
      // 2113: an older static check refused a composition that exists
      {"composition((_10,_2):(_16,_4), (_3,_4):(_1,_5))", "(_3,(_2,_2)):(_16,(_80,_4))", "(_3,(_2,_2)):(_16,(_80,_4))"},
      // 2432: the first 30 of 32 rows; refused before 3.9
      {"composition((_32,_128):(_128,_1), (_30,_128):(_1,_32))", "(_30,_128):(_128,_1)", "(_30,_128):(_128,_1)"},
      {"composition((32,128):(128,1), (30,128):(1,32))", "((30,1),(1,128)):((128,1),(4096,1))",
       "((30,1),(1,128)):((128,1),(4096,1))"},
      // 3513: a dynamic tiler skips every check
      {"zipped_divide((12,(4,8)):(7,(1,30)), 128)", "", "((12,4,2),(1,1,3)):((7,1,30),(896,11,90))"},
      {"zipped_divide((_12,(_4,_8)):(_7,(_1,_30)), _128)", "", ""},
      // 3478: an integer as tiler of a product
      {"logical_product((_2,_5):(_5,_1), _4)", "((_2,_5),_4):((_5,_1),_10)", "((_2,_5),_4):((_5,_1),_10)"},
      {"logical_product((_2,_5):(_5,_1), _4:_1)", "((_2,_5),_4):((_5,_1),_10)", "((_2,_5),_4):((_5,_1),_10)"},
      {"logical_product((2,5):(5,1), 4)", "((2,5),4):((5,1),10)", ""},
      // 1359, 3058: a size-1 mode stays where nothing is known statically
      {"complement(_4:_2, _24)", "(_2,_3):(_1,_8)", "(_2,_3):(_1,_8)"},
      {"complement(_4:_2, _8)", "_2:_1", "_2:_1"},
      {"complement(4:2, 8)", "(2,1):(_1,8)", "(2,1):(_1,8)"},
      {"complement(_4:_2, 8)", "(_2,1):(_1,_8)", "(_2,1):(_1,_8)"},
      {"complement(4:2, _8)", "(2,1):(_1,8)", "(2,1):(_1,8)"},
      {"complement(4:2, 24)", "(2,3):(_1,8)", "(2,3):(_1,8)"},
      // 1511: the first four elements are not one mode
      {"logical_divide((_2,_4,_3):(_4,_1,_8), _4:_1)", "((_2,_2),(_2,_3)):((_4,_1),(_2,_8))",
       "((_2,_2),(_2,_3)):((_4,_1),(_2,_8))"},
      // 2545: a layout as tiler is not a tiler by mode
      {"logical_divide((_12,_32):(_1,_12), (_4,_8):(_1,_4))", "((_4,_8),_12):((_1,_4),_32)",
       "((_4,_8),_12):((_1,_4),_32)"},
      {"zipped_divide((_12,_32):(_1,_12), (_4,_8))", "((_4,_8),(_3,_4)):((_1,_12),(_4,_96))",
       "((_4,_8),(_3,_4)):((_1,_12),(_4,_96))"},
      // 2094: not a power of two; wrong in the version of the report, right in the pinned one
      {"left_inverse((_128,_160):(_65536,_1))", "(_65536,_128):(_128,_1)", "(_65536,_128):(_128,_1)"},
      {"left_inverse((_128,_128):(_65536,_1))", "(_65536,_128):(_128,_1)", "(_65536,_128):(_128,_1)"},
      // 1355, 1625: the inverse needs static strides
      {"right_inverse((_2,_4,_6):(_4,_1,_8))", "(_4,_2,_6):(_2,_1,_8)", "(_4,_2,_6):(_2,_1,_8)"},
      {"right_inverse((2,4,6):(4,1,8))", "(4,2,6):(2,_1,8)", "_1:_0"},
      {"blocked_product((_2,_3):(_1,_2), (_4,_5):(_1,_4))", "((_2,_4),(_3,_5)):((_1,_6),(_2,_24))",
       "((_2,_4),(_3,_5)):((_1,_6),(_2,_24))"},
      {"right_inverse(blocked_product((_2,_3):(_1,_2), (_4,_5):(_1,_4)))", "(_2,_3,_4,_5):(_1,_8,_2,_24)",
       "(_2,_3,_4,_5):(_1,_8,_2,_24)"},
      {"right_inverse(blocked_product((_2,_3):(_1,_2), (4,5):(_1,4)))", "(_2,_3,4,5):(_1,8,_2,24)",
       "(_2,_3,4):(_1,8,_2)"},
      {"size(right_inverse(blocked_product((_2,_3):(_1,_2), (4,5):(_1,4))))", "120", "24"},
      // 3469: a mode of unknown extent stays; composing across it must still be right
      {"coalesce((_192,5):(_1,_192))", "(_192,5):(_1,_192)", "(_192,5):(_1,_192)"},
      {"coalesce((192,5):(1,192))", "(192,5):(1,192)", "(192,5):(1,192)"},
      {"composition((_192,5):(_1,_192), (_256,_3):(_1,_256))", "(256,3):(1,256)", ""},
      {"composition((_192,_5):(_1,_192), (_256,_3):(_1,_256))", "(_256,_3):(_1,_256)", "(_256,_3):(_1,_256)"},
      {"make_layout(size((_192,5):(_1,_192)))", "960:_1", "960:_1"},
      {"composition((192,5):(1,192), (256,3):(1,256))", "(256,3):(1,256)", "((192,1),(1,3)):((1,192),(256,384))"},
  };
  for (const Report& r : reports) {
    for (const Semantics s : {Semantics::correct, Semantics::cute}) {
      const std::string want = s == Semantics::correct ? r.correct : r.cute;
      const Result<Value> got = try_evaluate(r.expression, s);
      const char* mode = s == Semantics::correct ? " (correct)" : " (cute)";
      if (want.empty()) {
        EXPECT_FALSE(got.ok()) << r.expression << mode << " gives " << to_string(got.value());
      } else {
        EXPECT_EQ(value(r.expression, s), want) << r.expression << mode;
      }
    }
  }
}

}  // namespace
}  // namespace tileloom::layout
