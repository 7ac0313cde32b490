// SPDX-License-Identifier: Apache-2.0
// `tileloom layout` as a program: exit codes, and files that appear complete or not at all.
#include <gtest/gtest.h>

#include <fstream>

#include "unit/cli/run_program.hpp"

namespace tileloom {
namespace {

class LayoutProgram : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(directory.file(name)) << text; }
  [[nodiscard]] std::string read(const std::string& name) const { return test::read_file(directory.file(name)); }

  test::Directory directory;
  test::Program program{directory};
};

TEST_F(LayoutProgram, writes_the_answer_to_a_file) {
  const test::ProgramResult r = program.run({"layout", "coalesce((_2,_4):(_1,_2))", "-o", "answer.txt"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(read("answer.txt"), "_8:_1\n");
}

TEST_F(LayoutProgram, an_error_leaves_no_file_and_an_old_one_untouched) {
  write("old.txt", "old\n");
  write("bad.jsonl", "\x01\n");
  const std::vector<std::vector<std::string>> wrong = {{"layout", "coalesce("},
                                                       {"layout", "composition((_6,_2):(_1,_7), (_3,_2):(_2,_3))"},
                                                       {"layout", "(_2,_2,_2,_2,_2):(_1,_2,_4,_8,_16)", "--table"},
                                                       {"layout", "_4:_1", "--at", "9"},
                                                       {"layout", "--batch", "missing.jsonl"},
                                                       {"layout", "_4:_1", "--batch", "bad.jsonl"}};
  for (std::vector<std::string> arguments : wrong) {
    for (const std::string file : {"old.txt", "new.txt"}) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {"-o", file});
      const test::ProgramResult r = program.run(all);
      EXPECT_NE(r.exit_code, 0) << arguments[1];
      EXPECT_TRUE(r.err.starts_with("error: ")) << r.err;
      EXPECT_EQ(r.out, "");
    }
    EXPECT_EQ(read("old.txt"), "old\n") << arguments[1];
    EXPECT_EQ(directory.listing().size(), 2U) << arguments[1];
  }
}

TEST_F(LayoutProgram, a_difference_is_written_and_told_by_the_exit_code) {
  const test::ProgramResult r =
      program.run({"layout", "Sw<2,3,3> o _0 o (_8,_64):(_64,_1)", "--equal", "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.out, "differ at (4,0) (index 4): 256 and 288, bits 32; 256 of 512 coordinates differ\n");
}

TEST_F(LayoutProgram, batch_answers_bad_lines_and_goes_on) {
  write("cases.jsonl", "{\"op\": \"size\", \"args\": [\"(_4,_2)\"]}\n\x01\n{\"op\": \"size\", \"args\": [\"_8:_1\"]}");
  const test::ProgramResult r = program.run({"layout", "--batch", "cases.jsonl"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(
      r.out,
      "{\"result\":\"_8\"}\n"
      "{\"error\":\"the line is not a JSON object, expected {\\\"op\\\": \\\"name\\\", \\\"args\\\": [\\\"text\\\", "
      "...]}\"}\n"
      "{\"result\":\"_8\"}\n");
}

}  // namespace
}  // namespace tileloom
