// SPDX-License-Identifier: Apache-2.0
#include "emu/others/run.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <optional>

#include "tileloom/emu/image.hpp"

namespace tileloom::test {
namespace {

// Small enough that nothing overflows; the first few are those at which kernels branch.
Ints make_input() {
  Ints values{0, 1 << 16, -1, 1, 1 << 19, -(1 << 19)};
  std::uint32_t state = 1;
  while (values.size() < others_elements) {
    state = state * 1664525 + 1013904223;
    values.push_back(static_cast<int>(state >> 12) - (1 << 19));
  }
  return values;
}

std::string packed_text(const std::string& path) {
  std::string text;
  std::FILE* pipe = ::popen(("gzip -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) return text;
  char part[4096];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  ::pclose(pipe);
  return text;
}

void expect_right(const emu::Module& module, const OthersKernel& kernel, std::optional<std::uint64_t> schedule) {
  const Ints in = make_input();
  Ints out(others_elements + 16, 0);
  Ints expected = out;
  kernel.write(expected, in);
  emu::Memory memory;
  emu::Arguments arguments(module.kernel(kernel.name));
  arguments.set(0, memory.wrap(std::as_writable_bytes(std::span(out)), "out"));
  arguments.set(1, memory.wrap_read_only(std::as_bytes(std::span(in)), "in"));
  emu::LaunchOptions options;
  options.grid = {others_ctas};
  options.block = {others_threads};
  options.dynamic_shared_bytes = others_shared;
  options.host_threads = 1;
  options.check = true;
  options.schedule = schedule;
  const emu::LaunchReport report =
      emu::try_launch(module, module.kernel(kernel.name).name, options, arguments.bytes(), memory);
  EXPECT_FALSE(report.failure.has_value()) << report.failure->message;
  for (const emu::Finding& f : report.findings) ADD_FAILURE() << to_string(f);
  for (const emu::UninitialisedRead& r : report.uninitialised_reads) ADD_FAILURE() << to_string(r);
  EXPECT_EQ(out, expected);
}

}  // namespace

std::string others_file(const std::string& path) {
  if (path.ends_with(".gz")) return packed_text(path);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<emu::Module> others_modules(const std::string& bytes, const std::string& name) {
  std::vector<emu::Module> modules;
  const emu::ImageFile file = emu::read_images(std::as_bytes(std::span(bytes)), name);
  for (const emu::PtxImage& image : emu::images_for(file, hw::sm_90, name)) {
    modules.push_back(emu::Module::from_ptx(image.text, image.name));
  }
  return modules;
}

std::span<const OthersKernel> others_kernels(std::string_view source) {
  return source.starts_with("plain") ? others_plain_kernels() : others_toolkit_kernels();
}

void expect_right(const emu::Module& module, std::span<const OthersKernel> kernels) {
  EXPECT_EQ(module.kernels().size(), kernels.size());
  for (const OthersKernel& kernel : kernels) {
    for (const std::optional<std::uint64_t> schedule :
         {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(3)}) {
      SCOPED_TRACE(module.name() + ": " + std::string(kernel.name) + (schedule ? ", in another order" : ""));
      expect_right(module, kernel, schedule);
    }
  }
}

}  // namespace tileloom::test
