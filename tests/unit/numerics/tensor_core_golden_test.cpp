// SPDX-License-Identifier: Apache-2.0
// Every result measured on an H200 (tests/golden/h200), by the fast path and by the plain definition.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tileloom/emu/tensor_core.hpp"

namespace tileloom::emu {
namespace {

struct GoldenFile {
  const char* name;
  MmaInput input;
  MmaAccumulator accumulator;
  int m;
  std::size_t records;
};

constexpr GoldenFile files[] = {
    {"mma_m16n8k16_f16_f16acc.bin", MmaInput::f16, MmaAccumulator::f16, 16, 800},
    {"mma_m16n8k16_f16_f32acc.bin", MmaInput::f16, MmaAccumulator::f32, 16, 800},
    {"mma_m16n8k16_bf16_f32acc.bin", MmaInput::bf16, MmaAccumulator::f32, 16, 800},
    {"wgmma_m64n8k16_f16_f16acc.bin", MmaInput::f16, MmaAccumulator::f16, 64, 200},
    {"wgmma_m64n8k16_f16_f32acc.bin", MmaInput::f16, MmaAccumulator::f32, 64, 200},
    {"wgmma_m64n8k16_bf16_f32acc.bin", MmaInput::bf16, MmaAccumulator::f32, 64, 200},
};

struct Record {
  std::vector<std::uint16_t> a, b;
  std::vector<std::uint32_t> c, d;
};

template <class T>
std::vector<T> take(const char*& at, int count, std::size_t bytes) {
  std::vector<T> values(count);
  for (T& value : values) {
    std::memcpy(&value, at, bytes);  // little endian: a 16-bit pattern lands in the low half
    at += bytes;
  }
  return values;
}

std::vector<Record> read(const GoldenFile& file) {
  std::ifstream stream(std::string(TILELOOM_TEST_DATA "/golden/h200/") + file.name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t sum_bytes = file.accumulator == MmaAccumulator::f16 ? 2 : 4;
  const std::size_t record_bytes = file.m * 16 * 2 + 8 * 16 * 2 + 2 * file.m * 8 * sum_bytes;
  EXPECT_EQ(bytes.size(), record_bytes * file.records) << file.name;
  std::vector<Record> records;
  const char* at = bytes.data();
  for (std::size_t i = 0; i < bytes.size() / record_bytes; ++i) {
    Record record;
    record.a = take<std::uint16_t>(at, file.m * 16, 2);
    record.b = take<std::uint16_t>(at, 8 * 16, 2);
    record.c = take<std::uint32_t>(at, file.m * 8, sum_bytes);
    record.d = take<std::uint32_t>(at, file.m * 8, sum_bytes);
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<std::uint32_t> plain(const hw::MmaNumerics& numerics, const GoldenFile& file, const Record& record) {
  std::vector<std::uint32_t> d;
  for (int i = 0; i < file.m * 8; ++i) {
    d.push_back(mma_k16_element(numerics, file.input, file.accumulator, &record.a[i / 8 * 16], &record.b[i % 8 * 16],
                                record.c[i]));
  }
  return d;
}

std::vector<std::uint32_t> fast(const hw::MmaNumerics& numerics, const GoldenFile& file, const Record& record) {
  std::vector<std::uint32_t> d(record.d.size());
  mma_k16(numerics, file.input, file.accumulator, file.m, 8, record.a.data(), record.b.data(), record.c.data(),
          d.data());
  return d;
}

class Golden : public testing::TestWithParam<GoldenFile> {};

TEST_P(Golden, PlainDefinitionGivesWhatTheH200Gave) {
  const hw::MmaNumerics numerics = hw::mma_numerics_k16(hw::sm_90);
  int index = 0;
  for (const Record& record : read(GetParam())) {
    EXPECT_EQ(plain(numerics, GetParam(), record), record.d) << "record " << index;
    ++index;
  }
}

TEST_P(Golden, FastPathGivesWhatTheH200Gave) {
  const hw::MmaNumerics numerics = hw::mma_numerics_k16(hw::sm_90);
  int index = 0;
  for (const Record& record : read(GetParam())) {
    EXPECT_EQ(fast(numerics, GetParam(), record), record.d) << "record " << index;
    ++index;
  }
}

// The files would not accept another rule.
TEST_P(Golden, AnyOtherRuleFails) {
  const std::vector<Record> records = read(GetParam());
  for (const hw::MmaNumerics& wrong : {hw::MmaNumerics{1, 16, 24, false, ""}, hw::MmaNumerics{1, 16, 26, false, ""},
                                       hw::MmaNumerics{2, 8, 25, false, ""}, hw::mma_numerics_k16(hw::sm_80)}) {
    int plain_misses = 0;
    int fast_misses = 0;
    for (const Record& record : records) {
      plain_misses += plain(wrong, GetParam(), record) == record.d ? 0 : 1;
      fast_misses += fast(wrong, GetParam(), record) == record.d ? 0 : 1;
    }
    EXPECT_GT(plain_misses, 0) << wrong.steps << " x " << wrong.terms << ", F = " << wrong.fraction_bits;
    EXPECT_EQ(plain_misses, fast_misses);
  }
}

INSTANTIATE_TEST_SUITE_P(H200, Golden, testing::ValuesIn(files), [](const auto& file) {
  const std::string name = file.param.name;
  return name.substr(0, name.find('.'));
});

}  // namespace
}  // namespace tileloom::emu
