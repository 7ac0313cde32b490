// SPDX-License-Identifier: Apache-2.0
// What the Gram matrix of a data set is good for: with G = X * X^T the squared distance of two rows is
// G(i,i) + G(j,j) - 2 G(i,j), so G alone classifies each digit by its nearest other one.
//
//   digits_knn GRAM.npy LABELS.npy        (labels: one byte a row)
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "tileloom/emu/float16.hpp"
#include "tileloom/error.hpp"
#include "tileloom/npy.hpp"

namespace {

constexpr auto f16_to_f64 = tileloom::emu::to_f64<tileloom::emu::f16_format>;

// The byte array behind a .npy header of version 1.0 (`|u1`); only its last `count` bytes matter here.
std::vector<std::uint8_t> read_labels(const std::string& path, std::size_t count) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (bytes.size() < count) {
    throw tileloom::Error(tileloom::ErrorKind::bad_input, path + ": expected " + std::to_string(count) + " labels");
  }
  return {bytes.end() - static_cast<std::ptrdiff_t>(count), bytes.end()};
}

// The nearest other row of each row; ties go to the lower index.
std::vector<std::size_t> nearest_neighbours(const tileloom::npy::Matrix& gram) {
  const auto n = static_cast<std::size_t>(gram.rows);
  const auto g = [&](std::size_t i, std::size_t j) { return f16_to_f64(gram.values[i * n + j]); };
  std::vector<std::size_t> nearest(n);
  for (std::size_t i = 0; i < n; ++i) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n; ++j) {
      const double distance = g(i, i) + g(j, j) - 2 * g(i, j);
      if (j != i && distance < best) {
        best = distance;
        nearest[i] = j;
      }
    }
  }
  return nearest;
}

int run(const std::string& gram_path, const std::string& labels_path) {
  const tileloom::npy::Matrix gram = tileloom::npy::read_matrix(gram_path).matrix;
  if (gram.rows != gram.cols) {
    throw tileloom::Error(tileloom::ErrorKind::bad_input, gram_path + ": expected a square matrix");
  }
  const std::vector<std::size_t> nearest = nearest_neighbours(gram);
  const std::vector<std::uint8_t> labels = read_labels(labels_path, nearest.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    right += labels[nearest[i]] == labels[i] ? 1 : 0;
  }
  std::printf("leave-one-out nearest neighbour: %zu of %zu digits right (%.2f %%)\n", right, nearest.size(),
              100.0 * static_cast<double>(right) / static_cast<double>(nearest.size()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: digits_knn GRAM.npy LABELS.npy\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const tileloom::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.exit_code();
  }
}
