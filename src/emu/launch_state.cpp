// SPDX-License-Identifier: Apache-2.0
#include "emu/launch_state.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "emu/memory.hpp"
#include "tileloom/error.hpp"
#include "tileloom/hw/limits.hpp"

namespace tileloom::emu {
namespace {

[[noreturn]] void fail(ErrorKind kind, const Kernel& kernel, const std::string& message) {
  throw Error(kind, "kernel '" + kernel.name + "': " + message);
}

void check_shape(const Kernel& kernel, const LaunchOptions& o, const hw::Limits& limits) {
  const auto text = [](const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); };
  if (o.block.x == 0 || o.block.y == 0 || o.block.z == 0)
    fail(ErrorKind::bad_input, kernel, "block " + text(o.block) + " is empty");
  if (o.grid.x == 0 || o.grid.y == 0 || o.grid.z == 0)
    fail(ErrorKind::bad_input, kernel, "grid " + text(o.grid) + " is empty");
  const std::uint64_t threads = std::uint64_t{o.block.x} * o.block.y * o.block.z;
  if (o.block.x > limits.block_x || o.block.y > limits.block_y || o.block.z > limits.block_z ||
      threads > limits.threads_per_cta) {
    fail(ErrorKind::bad_input, kernel,
         fmt::format("block {} is over ({},{},{}) or {} threads", text(o.block), limits.block_x, limits.block_y,
                     limits.block_z, limits.threads_per_cta));
  }
  if (o.grid.x > limits.grid_x || o.grid.y > limits.grid_y || o.grid.z > limits.grid_z) {
    fail(ErrorKind::bad_input, kernel,
         fmt::format("grid {} is over ({},{},{})", text(o.grid), limits.grid_x, limits.grid_y, limits.grid_z));
  }
  if (kernel.max_threads != 0 && threads > kernel.max_threads) {
    fail(ErrorKind::bad_input, kernel,
         fmt::format("block {} has {} threads, the kernel declares at most {}", text(o.block), threads,
                     kernel.max_threads));
  }
}

void check_shared(const Kernel& kernel, const LaunchOptions& o, const hw::Limits& limits, std::uint64_t static_bytes) {
  if (static_bytes > limits.static_shared_bytes_per_cta) {
    fail(ErrorKind::cannot_run, kernel,
         fmt::format("{} bytes of static shared memory, {} has {}", static_bytes, to_string(o.arch),
                     limits.static_shared_bytes_per_cta));
  }
  const std::uint64_t total = static_bytes + o.dynamic_shared_bytes;
  if (total > limits.shared_bytes_per_cta) {
    fail(ErrorKind::cannot_run, kernel,
         fmt::format("{} bytes of shared memory a CTA, {} has {}", total, to_string(o.arch),
                     limits.shared_bytes_per_cta));
  }
}

constexpr std::uint64_t max_module_bytes = std::uint64_t{1} << 30;  // so that hostile PTX cannot take all memory

bool is_module_memory(const ptx::Variable& v) {
  return (v.space == ptx::Space::global || v.space == ptx::Space::constant) && !v.external;
}

void store(std::byte* to, std::uint64_t value, std::size_t bytes) {
  std::memcpy(to, &value, bytes);
}

void check_module_memory(const std::vector<ptx::Variable>& variables) {
  std::uint64_t total = 0;
  for (const ptx::Variable& v : variables) total += is_module_memory(v) ? v.bytes : 0;
  if (total > max_module_bytes) {
    throw Error(ErrorKind::cannot_run,
                fmt::format("the module's variables take {} bytes, of at most {}", total, max_module_bytes));
  }
}

void make_variables(LaunchState& state, const Program& program) {
  const auto& variables = program.source.variables;
  check_module_memory(variables);
  state.variable_bytes.resize(variables.size());
  state.variables.resize(variables.size());
  for (std::uint32_t id = 0; id < variables.size(); ++id) {
    const ptx::Variable& v = variables[id];
    if (!is_module_memory(v)) continue;
    std::vector<std::byte>& bytes = state.variable_bytes[id];
    try {
      bytes.resize(std::max<std::uint64_t>(v.bytes, 1));
    } catch (const std::bad_alloc&) {
      throw Error(ErrorKind::cannot_run, fmt::format("no memory for variable '{}' of {} bytes", v.name, v.bytes));
    }
    if (!v.initial.empty()) std::memcpy(bytes.data(), v.initial.data(), v.initial.size());
    for (const ptx::Relocation& r : v.relocations) {
      const std::uint64_t symbol =
          r.function == ptx::none ? buffer_base(first_variable_region + r.variable) : function_address(r.function);
      store(bytes.data() + r.at, symbol + static_cast<std::uint64_t>(r.addend), r.bytes);
    }
    state.variables[id] = {bytes.data(), buffer_base(first_variable_region + id), v.bytes,
                           v.space == ptx::Space::global, v.name};
  }
}

void make_constants(LaunchState& state, const Program& program, const SharedLayout& shared) {
  state.constants = program.constants;
  for (const LaunchConstant& c : program.launch_constants) {
    const std::uint64_t address = shared.address[c.variable] + static_cast<std::uint64_t>(c.addend);
    const std::size_t bytes = c.wide ? 8 : 4;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      store(state.constants.data() + c.at + bytes * lane, address, bytes);
  }
}

}  // namespace

std::vector<std::uint32_t> reachable_functions(const Program& program, std::uint32_t entry) {
  std::vector<std::uint32_t> reached{entry};
  std::vector<bool> seen(program.functions.size(), false);
  seen[entry] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::uint32_t callee : program.functions[reached[i]].callees) {
      if (!seen[callee]) reached.push_back(callee);
      seen[callee] = true;
    }
  }
  return reached;
}

SharedLayout lay_out_shared(const Program& program, std::uint32_t entry) {
  const auto& variables = program.source.variables;
  std::vector<std::uint32_t> used;
  for (const std::uint32_t f : reachable_functions(program, entry)) {
    const auto& named = program.functions[f].shared_variables;
    used.insert(used.end(), named.begin(), named.end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  SharedLayout layout;
  layout.address.resize(variables.size());
  const auto place = [&](std::uint32_t id) {
    const std::uint64_t align = variables[id].align;
    layout.address[id] = (layout.static_bytes + align - 1) / align * align;
    return layout.address[id];
  };
  for (const std::uint32_t id : used) {
    if (!variables[id].external) layout.static_bytes = place(id) + variables[id].bytes;
  }
  std::uint64_t dynamic = layout.static_bytes;
  for (const std::uint32_t id : used) {
    if (variables[id].external) dynamic = std::max(dynamic, place(id));
  }
  // All dynamic arrays are the same memory: they begin at the strictest alignment among them.
  for (const std::uint32_t id : used) {
    if (variables[id].external) layout.address[id] = dynamic;
  }
  layout.static_bytes = dynamic;
  return layout;
}

void prepare_launch(LaunchState& state, const Module& module, const Kernel& kernel, const LaunchOptions& options,
                    std::span<const std::byte> parameters, Memory& memory) {
  const Program& program = module.impl().program;
  const auto index = static_cast<std::size_t>(&kernel - program.kernels.data());
  state.program = &program;
  state.entry = program.kernel_functions[index];
  state.options = options;
  if (options.arch < module.target()) {
    fail(ErrorKind::cannot_run, kernel,
         fmt::format("its PTX is for {} and newer, asked for {}", to_string(module.target()), to_string(options.arch)));
  }
  const hw::Limits limits = hw::limits(options.arch);
  check_shape(kernel, options, limits);
  if (parameters.size() != kernel.parameter_bytes) {
    fail(ErrorKind::bad_input, kernel,
         fmt::format("expects {} parameter bytes, found {}", kernel.parameter_bytes, parameters.size()));
  }
  const SharedLayout shared = lay_out_shared(program, state.entry);
  check_shared(kernel, options, limits, shared.static_bytes);
  state.shared_bytes = static_cast<std::uint32_t>(shared.static_bytes) + options.dynamic_shared_bytes;
  state.parameters.assign(parameters.begin(), parameters.end());
  state.buffers = memory.impl().regions;
  state.mma = hw::mma_numerics_k16(options.arch);
  make_variables(state, program);
  make_constants(state, program, shared);
}

std::vector<std::string> launch_warnings(const LaunchState& state) {
  std::vector<std::string> warnings;
  for (const std::uint32_t f : reachable_functions(*state.program, state.entry)) {
    const auto& own = state.program->functions[f].warnings;
    warnings.insert(warnings.end(), own.begin(), own.end());
  }
  return warnings;
}

}  // namespace tileloom::emu
