// SPDX-License-Identifier: Apache-2.0
// Questions of `tileloom trace` that are refused, and with what message.
#include <gtest/gtest.h>

#include "tileloom/trace/thread_elements.hpp"
#include "unit/trace/question_support.hpp"

namespace tileloom::trace::test {
namespace {

TEST_F(Question, what_there_is_not_is_refused) {
  EXPECT_EQ(refused(big, element("A:128,0")),
            std::pair(std::string("A(128,0): outside the CTA's tile, which has 128 x 32"),
                      std::string("a later k-tile is the third number: A:0,9,2")));
  EXPECT_EQ(refused(big, element("D:0,256")),
            std::pair(std::string("D(0,256): outside the CTA's tile, which has 128 x 256"),
                      std::string("of another tile: --cta M,N")));
  EXPECT_EQ(refused(big, element("A:0,0,128")).first, "k-tile 128 of A, expected 0 to 127");
  for (const std::string wrong : {"A", "A:", "E:0,0", "A:0", "A:0,0,0,0", "D:0,0,0", "0,0", ":"}) {
    EXPECT_EQ(refused(big, element(wrong)).first,
              "--element: expected OPERAND:ROW,COLUMN or with ,K-TILE, found '" + wrong + "'");
  }
  EXPECT_TRUE(refused(big, element("A:-1,0")).first.starts_with("--element, row: expected an integer from 0"));
  EXPECT_TRUE(refused(big, element("A:0,99999999999")).first.starts_with("--element, column: "));
  EXPECT_EQ(refused(big, reg("a4", "0")).first, "register a4, expected a0 to a3: SM80_16x8x16_F16F16F16F16_TN has 4");
  EXPECT_EQ(refused(big, reg("d2", "0")).first, "register d2, expected d0 to d1: SM80_16x8x16_F16F16F16F16_TN has 2");
  EXPECT_EQ(refused(big, reg("r7", "0")).first, "register 'r7', expected a letter of a, b, c, d and a number");
  EXPECT_EQ(refused(big, reg("a0", "0", "4")).first, "warp 4, lane 0: the tiled MMA has no such thread");
  EXPECT_EQ(refused(big, reg("a0", "32")).first, "--lane: expected an integer from 0 to 31, found '32'");
  EXPECT_EQ(refused(big, map("E")).first, "--map: expected A, B or D, found 'E'");
  EXPECT_EQ(refused(big, map("A", "128")).first, "--thread: expected an integer from 0 to 127, found '128'");
  EXPECT_EQ(error_of([&] { return thread_elements(big, Operand::a, 128); }).first,
            "thread 128: the tiled MMA has no such thread");
  TraceQuestion q = reg("d0", "0");
  q.k_tile = "1";
  EXPECT_EQ(refused(big, q).first, "k-tile 1 of D, expected 0 to 0");
}

TEST_F(Question, questions_that_exclude_each_other) {
  TraceQuestion q = element("A:0,0");
  q.map = "A";
  EXPECT_EQ(refused(big, q).first, "trace: both --element and --map");
  q = reg("a0", "0");
  q.explain = true;
  EXPECT_EQ(refused(big, q).first, "trace: both --register and --explain");
  q = element("A:0,0");
  q.tensors = {"sA"};
  EXPECT_EQ(refused(big, q).first, "trace: both --element and --tensor");
  q = element("A:0,0");
  q.k_tile = "1";
  EXPECT_EQ(refused(big, q).first, "trace: --lane, --warp and --k-tile belong to --register");
}

}  // namespace
}  // namespace tileloom::trace::test
