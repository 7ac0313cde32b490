// SPDX-License-Identifier: Apache-2.0
// The stages of `tileloom emulate`: what was asked, the kernel, its arguments, and what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/element.hpp"
#include "cli/emulate_ignore.hpp"
#include "render/counters_text.hpp"
#include "tileloom/emu/emulator.hpp"

namespace tileloom::cli {

// A buffer in global memory, passed as a pointer.
struct BufferArgument {
  const ElementType* type = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  bool written = true;   // false: the kernel's output, which holds nothing yet
  bool writable = true;  // false: a store to it ends the launch
};
// A value passed by itself.
struct ValueArgument {
  std::string type;  // `i32`, `bytes`
  std::vector<std::byte> bytes;
};
// The buffer of an earlier argument, from a byte on.
struct AliasArgument {
  std::size_t argument = 0;
  std::uint64_t offset = 0;
};

struct KernelArgument {
  std::string name;
  std::string text;  // as given after the name
  std::variant<BufferArgument, ValueArgument, AliasArgument> what;
};

// `--arg NAME=...`; `before`: the arguments given before it. Throws Error(bad_input) that begins with `--arg NAME: `,
// Error(io) for a file that cannot be read.
[[nodiscard]] KernelArgument parse_kernel_argument(const std::string& text, const std::vector<KernelArgument>& before);

// `f16[1024,1024]`, `i32`.
[[nodiscard]] std::string type_text(const KernelArgument& argument, const std::vector<KernelArgument>& all);

// `--save NAME=FILE`, `--expect NAME=FILE[:TOLERANCE]`.
struct SaveRequest {
  std::size_t argument = 0;
  std::string path;
};
struct ExpectRequest {
  std::size_t argument = 0;
  std::string path;
  long double tolerance = 0;
  npy::Array reference;
};
[[nodiscard]] SaveRequest parse_save(const std::string& text, const std::vector<KernelArgument>& arguments);
[[nodiscard]] ExpectRequest parse_expect(const std::string& text, const std::vector<KernelArgument>& arguments);

// `late`, `early` or `seed:N`.
[[nodiscard]] emu::Delivery parse_delivery(const std::string& text);
// `NAME:BYTE` of a buffer among the arguments.
[[nodiscard]] emu::FollowOptions parse_followed_argument(const std::string& text,
                                                         const std::vector<KernelArgument>& arguments);

struct EmulateRequest {
  std::string path;   // of the PTX, or what holds it
  std::string entry;  // empty: the only one
  emu::LaunchOptions options;
  std::vector<KernelArgument> arguments;
  std::vector<SaveRequest> saves;
  std::vector<ExpectRequest> expectations;
  std::vector<IgnoreEntry> ignores;
  std::optional<render::CountersBy> counters;
  bool json = false;
};

// A buffer compared with what was expected of it.
struct Comparison {
  std::uint64_t elements = 0;
  std::uint64_t wrong = 0;
  std::string first;  // `y[3,0] is 1.5, expected 2`; empty where none is wrong
};
[[nodiscard]] Comparison compare(const KernelArgument& argument, const ExpectRequest& expected);

struct EmulateOutcome {
  std::string kernel;  // demangled
  std::string mangled;
  double seconds = 0;
  emu::LaunchReport report;  // without what was ignored
  IgnoreResult ignored;
  std::vector<Comparison> comparisons;  // by expectation; empty where the launch failed

  [[nodiscard]] bool good() const;
};
// Of one that was not good.
[[nodiscard]] std::string what_failed(const EmulateRequest& request, const EmulateOutcome& outcome);

// -- Kernels of a module.
// As C++ writes it; PTX's own name where it is no mangled one.
[[nodiscard]] std::string demangled(const std::string& name);
// The modules of a file, of each translation unit the newest that `arch` runs: PTX; a fatbin, object, library or
// executable of nvcc's; a .cu, which nvcc compiles. Throws Error(io), Error(bad_input), Error(cannot_run).
[[nodiscard]] std::vector<emu::Module> load_modules(const std::string& path, hw::Arch arch);
struct Entry {
  const emu::Module* module = nullptr;
  const emu::Kernel* kernel = nullptr;
};
// In the order of the file.
[[nodiscard]] std::vector<Entry> all_entries(const std::vector<emu::Module>& modules);
// By its PTX name, or by an unambiguous part of the demangled one; empty: the only one. Throws Error(bad_input).
[[nodiscard]] Entry find_entry(const std::vector<emu::Module>& modules, const std::string& path,
                               const std::string& wanted);
// Runs the kernel. Everything that can be refused is refused before. `outcome` has all that was found.
int run_emulate(EmulateRequest& request, const std::vector<std::string>& argv);

}  // namespace tileloom::cli
