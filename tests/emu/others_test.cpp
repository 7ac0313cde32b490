// SPDX-License-Identifier: Apache-2.0
// Kernels that are not ours, from every compiler and in every shape that people have: they load, run with checks and
// give the result that the host computes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "emu/others/run.hpp"

namespace tileloom::test {
namespace {

// What remake.sh has made: SOURCE-HOW.ptx.gz or SOURCE-HOW.fatbin.
std::vector<std::string> committed() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(others_folder + "made")) {
    files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Committed : public testing::TestWithParam<std::string> {};

TEST_P(Committed, KernelsGiveTheirResults) {
  const std::vector<emu::Module> modules =
      others_modules(others_file(others_folder + "made/" + GetParam()), GetParam());
  ASSERT_EQ(modules.size(), 1U);
  expect_right(modules[0], others_kernels(GetParam()));
}

std::string test_name(const testing::TestParamInfo<std::string>& parameter) {
  std::string name = parameter.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Others, Committed, testing::ValuesIn(committed()), test_name);

}  // namespace
}  // namespace tileloom::test
