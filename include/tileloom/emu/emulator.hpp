// SPDX-License-Identifier: Apache-2.0
// The emulator: runs a kernel's PTX on the CPU, bit-exact.
//
//   emu::Module module = emu::Module::from_ptx(text, "saxpy.ptx");
//   emu::Memory memory;
//   emu::DevicePtr x = memory.allocate(n * 4, "x");
//   memory.write(x, bytes_of(host_x));
//   emu::Arguments args(module.kernel("saxpy"));
//   args.set(0, x).set(1, n);
//   emu::launch(module, "saxpy", {.grid = {blocks}, .block = {256}}, args.bytes(), memory);
//   memory.read(x, bytes_of(host_x));
//
// What is not modelled: ptxas's scheduling and register allocation, timing, caches. An instruction that is not
// supported is an error that names it and its line; it is never skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tileloom/emu/counters.hpp"
#include "tileloom/emu/finding.hpp"
#include "tileloom/emu/provenance.hpp"
#include "tileloom/hw/arch.hpp"

namespace tileloom::emu {

// A kernel parameter as declared: its place in the parameter bytes.
struct Parameter {
  std::string name;
  std::string type;          // `u64`; of an array `b8[16]`
  std::uint32_t offset = 0;  // bytes
  std::uint32_t size = 0;    // bytes
  std::uint32_t align = 1;   // bytes
};

// What a `.entry` declares.
struct Kernel {
  std::string name;  // as in PTX (mangled)
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t max_threads = 0;  // .maxntid (product), 0 when not stated
};

// One PTX file, decoded once; launches share it.
class Module {
 public:
  // Throws Error(bad_input): `NAME:LINE: ...` for a syntax error, an unknown instruction, an undeclared name or a
  // wrong operand. `name` is used in messages only.
  [[nodiscard]] static Module from_ptx(std::string_view text, std::string name);

  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] hw::Arch target() const;  // from `.target`
  [[nodiscard]] const std::vector<Kernel>& kernels() const;

  // The kernel whose name is `name`, or the only one whose name contains it.
  // Throws Error(bad_input) listing the kernels when none or several fit.
  [[nodiscard]] const Kernel& kernel(std::string_view name) const;

  struct Impl;
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  explicit Module(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// An address in emulated global memory.
struct DevicePtr {
  std::uint64_t address = 0;
  [[nodiscard]] DevicePtr offset(std::int64_t bytes) const { return {address + static_cast<std::uint64_t>(bytes)}; }
};

// Global memory: separate buffers, each with its own bounds. Buffers lie far apart, so an access past the end of one
// can never reach another. Bases are 256-byte aligned, as cudaMalloc gives.
class Memory {
 public:
  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // A zero-size buffer has an address but no byte. `label` appears in findings. New bytes are 0xFF (f16 NaN) and count
  // as uninitialised until `write` or a kernel writes them: a checked launch reports who reads them before.
  [[nodiscard]] DevicePtr allocate(std::size_t bytes, std::string label);
  // A buffer over the caller's bytes, which must outlive this object: no copy. Its address keeps the caller's
  // alignment modulo 256. `writable` false: a kernel's store is an error.
  [[nodiscard]] DevicePtr wrap(std::span<std::byte> bytes, std::string label);
  [[nodiscard]] DevicePtr wrap_read_only(std::span<const std::byte> bytes, std::string label);
  // The same for an output: its bytes count as uninitialised, as those of `allocate` do.
  [[nodiscard]] DevicePtr wrap_output(std::span<std::byte> bytes, std::string label);

  // Throw Error(bad_input) when [at, at + bytes.size()) is not inside one buffer.
  void write(DevicePtr at, std::span<const std::byte> bytes);
  void read(DevicePtr at, std::span<std::byte> bytes) const;

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

struct Progress {
  std::uint64_t ctas_done = 0;
  std::uint64_t ctas = 0;
};

// When the bytes of a cp.async arrive: at the wait that completes its group, with poison (0xFF, an f16 NaN) in their
// place until then; at once; or, seeded, each at some point between the two. All three are legal on a GPU.
struct Delivery {
  enum class When : std::uint8_t { late, early, seeded } when = When::late;
  std::uint64_t seed = 0;  // of `seeded`
};

struct LaunchOptions {
  Dim3 grid = {}, block = {};
  std::uint32_t dynamic_shared_bytes = 0;
  hw::Arch arch = hw::sm_90;                 // decides numerics and limits; must be at least the module's target
  unsigned host_threads = 0;                 // 0: all of this machine's
  std::uint64_t max_instructions = 0;        // per CTA, 0: no limit; over it the launch ends with an error
  bool check = false;                        // look for races and uninitialised reads; costs a few times the plain run
  bool count = false;                        // count executions and what accesses cost; up to twice the plain run
  std::optional<FollowOptions> follow = {};  // say where elements go; the launch runs on one host thread
  Delivery delivery = {};
  // Runs the warps in turns of a few instructions and the CTAs in another order, both as the seed says. Without it each
  // warp runs up to its next barrier, and CTAs start in ascending order.
  std::optional<std::uint64_t> schedule = {};
  std::function<bool(const Progress&)> progress = {};  // called now and then from one thread; false stops the launch
};

// What ended a launch: the kernel did something wrong.
struct Failure {
  // `out of bounds`, `misaligned`, `read-only`, `divergence`, `deadlock`, `barrier misuse`, `instruction limit`,
  // `stack overflow`, `bad branch`, `bad call`, `bad size`, `missing function`, `trap`.
  std::string kind;
  std::string message;  // begins with the kind
};

struct LaunchReport {
  std::uint64_t warp_instructions = 0;  // executed, all warps
  std::vector<std::string> warnings;
  std::vector<Finding> findings;                       // of a checked launch, in the order of the module's instructions
  std::vector<UninitialisedRead> uninitialised_reads;  // likewise
  std::optional<Counters> counters;                    // of a counted launch
  std::optional<Provenance> provenance;                // of a followed launch
  std::optional<Failure> failure;                      // of try_launch
};

// Runs the kernel to its end. Module variables start from their initial values at each launch. `parameters` are its
// parameter bytes, laid out as the kernel declares. Throws Error(bad_input) for a wrong size, block or grid;
// Error(cannot_run) for an arch the module cannot run on or a limit of the arch that the launch exceeds;
// Error(check_failed) for what the kernel did wrong: out of bounds, misaligned, a write to read-only memory, divergence
// at a warp-synchronous instruction, a deadlock. The message names the source line (or PTX line), the instruction, the
// thread, the CTA and the buffer. Where progress returns false: Error(cannot_run, "stopped").
LaunchReport launch(const Module& module, std::string_view kernel, const LaunchOptions& options,
                    std::span<const std::byte> parameters, Memory& memory);
// The same; what the kernel did wrong is `failure` of the report, beside what was found before it.
LaunchReport try_launch(const Module& module, std::string_view kernel, const LaunchOptions& options,
                        std::span<const std::byte> parameters, Memory& memory);

// Parameter bytes, set one by one; a size that differs from the declared one throws Error(bad_input).
class Arguments {
 public:
  explicit Arguments(const Kernel& kernel) : kernel_(kernel), bytes_(kernel.parameter_bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> Arguments& set(std::size_t index, const T& value) {
    return set_bytes(index, std::as_bytes(std::span(&value, 1)));
  }
  Arguments& set_bytes(std::size_t index, std::span<const std::byte> value);
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  const Kernel& kernel_;
  std::vector<std::byte> bytes_;
};

}  // namespace tileloom::emu
