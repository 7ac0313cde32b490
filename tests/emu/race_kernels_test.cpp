// SPDX-License-Identifier: Apache-2.0
// Every fault of tests/emu/races is found, of its kind and at its lines, under every delivery and schedule; the kernel
// beside it without the fault is silent.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emu/races/kernels.hpp"
#include "tileloom/emu/emulator.hpp"

namespace tileloom::test {
namespace {

const std::string folder = TILELOOM_SOURCE_DIR "/tests/emu/races/";

// Lines of kernels.cu that a finding in the kernel must name.
std::set<std::uint32_t> marked_lines(const std::string& kernel) {
  std::ifstream source(folder + "kernels.cu");
  std::set<std::uint32_t> lines;
  bool inside = false;
  std::uint32_t number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.starts_with("KERNEL(")) inside = line.starts_with("KERNEL(" + kernel + ")");
    if (inside && line.ends_with("// here")) lines.insert(number);
  }
  return lines;
}

const emu::Module& module() {
  static const emu::Module made = [] {
    std::ifstream in(folder + "kernels.ptx");
    return emu::Module::from_ptx(std::string(std::istreambuf_iterator<char>(in), {}), "kernels.ptx");
  }();
  return made;
}

struct Order {
  emu::Delivery delivery;
  std::optional<std::uint64_t> schedule;
};
std::vector<Order> orders() {
  std::vector<Order> made;
  for (const emu::Delivery delivery :
       {emu::Delivery{}, emu::Delivery{emu::Delivery::When::early, 0}, emu::Delivery{emu::Delivery::When::seeded, 5}}) {
    made.push_back({delivery, std::nullopt});
    for (const std::uint64_t seed : {1U, 2U}) made.push_back({delivery, seed});
  }
  return made;
}

emu::LaunchReport run(const RaceKernel& kernel, const std::string& name, const Order& order) {
  emu::Memory memory;
  std::vector<std::int32_t> values(race_kernel_elements, 0);
  const emu::DevicePtr out = memory.allocate(values.size() * 4, "out");
  if (kernel.out_is_written) memory.write(out, std::as_bytes(std::span(values)));
  std::iota(values.begin(), values.end(), 0);
  const emu::DevicePtr in = memory.allocate(values.size() * 4, "in");
  memory.write(in, std::as_bytes(std::span(values)));
  emu::Arguments arguments(module().kernel(name));
  arguments.set(0, out).set(1, in);
  emu::LaunchOptions options;
  options.grid = {kernel.ctas};
  options.block = {race_kernel_threads};
  options.host_threads = 1;  // of two CTAs the second is the last
  options.check = true;
  options.delivery = order.delivery;
  options.schedule = order.schedule;
  options.max_instructions = 10'000;
  return emu::try_launch(module(), name, options, arguments.bytes(), memory);
}

std::set<std::uint32_t> lines_of(const emu::LaunchReport& report, std::string_view kind) {
  std::set<std::uint32_t> lines;
  if (kind == "race") {
    for (const emu::Finding& f : report.findings) lines.insert({f.first.at.line, f.second.at.line});
  } else {
    for (const emu::UninitialisedRead& r : report.uninitialised_reads) lines.insert(r.reader.at.line);
  }
  return lines;
}

class RaceKernels : public testing::TestWithParam<RaceKernel> {};

TEST_P(RaceKernels, TheFaultIsFoundAtItsLines) {
  const std::string name = std::string(GetParam().name) + "_racy";
  const std::set<std::uint32_t> expected = marked_lines(name);
  ASSERT_FALSE(expected.empty());
  for (const Order& order : orders()) {
    const emu::LaunchReport report = run(GetParam(), name, order);
    if (GetParam().finds == "race" || GetParam().finds == "uninitialised read") {
      EXPECT_EQ(lines_of(report, GetParam().finds), expected);
      EXPECT_FALSE(report.failure.has_value()) << report.failure->message;
      continue;
    }
    ASSERT_TRUE(report.failure.has_value());
    EXPECT_EQ(report.failure->kind, GetParam().finds);
    EXPECT_NE(report.failure->message.find("kernels.cu:" + std::to_string(*expected.begin())), std::string::npos)
        << report.failure->message;
  }
}

TEST_P(RaceKernels, WithoutTheFaultNothingIsFound) {
  const std::string name = std::string(GetParam().name) + "_clean";
  EXPECT_TRUE(marked_lines(name).empty());
  for (const Order& order : orders()) {
    const emu::LaunchReport report = run(GetParam(), name, order);
    for (const emu::Finding& f : report.findings) ADD_FAILURE() << to_string(f);
    for (const emu::UninitialisedRead& r : report.uninitialised_reads) ADD_FAILURE() << to_string(r);
    EXPECT_FALSE(report.failure.has_value()) << report.failure->message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, RaceKernels, testing::ValuesIn(race_kernels),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(RaceKernelTable, HasAllOfTheSource) {
  EXPECT_EQ(2 * race_kernels.size(), module().kernels().size());
}

}  // namespace
}  // namespace tileloom::test
