// SPDX-License-Identifier: Apache-2.0
// The demo's numbers: the Gram matrix of the digits, and the nearest-neighbour count that digits_knn prints from it.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "gemm/verify.hpp"
#include "tileloom/emu/float16.hpp"
#include "tileloom/gemm.hpp"
#include "tileloom/npy.hpp"

namespace tileloom {
namespace {

const std::string data_dir = std::string(TILELOOM_SOURCE_DIR) + "/examples/data/";

npy::Matrix gram_of(const npy::Matrix& x, const std::string& kernel) {
  GemmOptions options;
  options.backend = Backend::emulator;
  options.kernel = kernel;
  const GemmProblem problem = dense_problem(x.rows, x.rows, x.cols);
  npy::Matrix gram{x.rows, x.rows, std::vector<std::uint16_t>(static_cast<std::size_t>(x.rows * x.rows))};
  launch_host(problem, configure(problem, options), {x.values.data(), x.values.data(), gram.values.data()});
  const VerifyReport report = verify(problem, hw::sm_90, x.values.data(), x.values.data(), gram.values.data());
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(report.exact);  // pixels are small integers
  return gram;
}

// How many digits have the label of their nearest other one, in double from the f16 matrix; ties to the lower index.
int right_by_nearest_neighbour(const npy::Matrix& gram, const std::string& labels) {
  const std::int64_t n = gram.rows;
  std::vector<double> g(gram.values.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    g[i] = emu::to_f64<emu::f16_format>(gram.values[i]);
  }
  int right = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t best = i == 0 ? 1 : 0;
    const auto distance = [&](std::int64_t j) {
      return g[static_cast<std::size_t>(i * n + i)] + g[static_cast<std::size_t>(j * n + j)] -
             2 * g[static_cast<std::size_t>(i * n + j)];
    };
    for (std::int64_t j = 0; j < n; ++j) {
      if (j != i && distance(j) < distance(best)) {
        best = j;
      }
    }
    right += labels[static_cast<std::size_t>(best)] == labels[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return right;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> buffer{};
  const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
  return {buffer.data(), count};
}

TEST(Digits, NearestNeighbourCountIsWhatTheExamplePrints) {
  const npy::Matrix x = npy::read_matrix(data_dir + "digits.npy").matrix;
  ASSERT_EQ(x.rows, 1797);
  ASSERT_EQ(x.cols, 64);
  std::ifstream in(data_dir + "digits_labels.npy", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string labels = file.substr(file.size() - 1797);

  const npy::Matrix gram = gram_of(x, "");
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tileloom digits test";
  std::filesystem::create_directories(folder);
  npy::write_matrix(folder / "gram.npy", gram);
  const std::string printed = output_of("'" TILELOOM_DIGITS_KNN "' '" + (folder / "gram.npy").string() + "' '" +
                                        data_dir + "digits_labels.npy'");
  std::filesystem::remove_all(folder);
  const int right = right_by_nearest_neighbour(gram, labels);
  EXPECT_GT(right, 1700);
  EXPECT_NE(printed.find(": " + std::to_string(right) + " of 1797 digits right"), std::string::npos) << printed;
}

// Families differ in how they move data, not in what they compute.
TEST(Digits, EveryFamilyGivesTheSameGramMatrix) {
  const npy::Matrix x = npy::read_matrix(data_dir + "digits.npy").matrix;
  const npy::Matrix expected = gram_of(x, "simple");
  EXPECT_EQ(gram_of(x, "smem").values, expected.values);
  EXPECT_EQ(gram_of(x, "multistage").values, expected.values);
}

}  // namespace
}  // namespace tileloom
