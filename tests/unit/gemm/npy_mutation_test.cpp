// SPDX-License-Identifier: Apache-2.0
// The fuzzer's property on the corpus and on seeded mutations of it, for builds without a fuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/gemm/npy_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tileloom::test {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TILELOOM_TEST_DATA "/fuzz/npy_corpus")) {
    files.push_back(read_file(entry.path()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void try_bytes(const std::string& bytes) {
  // A copy of exactly this size, so that a sanitizer sees a read past its end.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

std::string mutate(std::string bytes, std::mt19937_64& random) {
  const auto pick = [&](std::size_t below) { return below == 0 ? 0 : static_cast<std::size_t>(random() % below); };
  const std::string interesting = "0123456789-()[]{}',:\" LTF<>=\x93\xff";
  for (std::size_t edits = 1 + pick(4); edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = pick(bytes.size());
    switch (pick(5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = interesting[pick(interesting.size())];
        break;
      case 2:
        bytes.erase(at, 1 + pick(8));
        break;
      case 3:
        bytes.insert(at, 1 + pick(4), interesting[pick(interesting.size())]);
        break;
      default:
        bytes.insert(pick(bytes.size()), bytes.substr(at, pick(16)));
        break;
    }
  }
  return bytes;
}

TEST(NpyMutation, CorpusAndEveryPrefix) {
  const std::vector<std::string> files = corpus();
  ASSERT_GE(files.size(), 10U);
  for (const std::string& file : files) {
    for (std::size_t length = 0; length <= file.size(); ++length) {
      try_bytes(file.substr(0, length));
    }
  }
}

TEST(NpyMutation, SeededMutations) {
  std::mt19937_64 random(20261);
  const std::vector<std::string> files = corpus();
  for (int i = 0; i < 50000; ++i) {
    try_bytes(mutate(files[static_cast<std::size_t>(i) % files.size()], random));
  }
}

}  // namespace
}  // namespace tileloom::test
