// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/module_decoder.hpp"

#include <set>

#include "emu/isa/expand_wmma.hpp"
#include "emu/isa/function_decoder.hpp"
#include "emu/launch_state.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

constexpr std::uint64_t max_frame_bytes = 64U << 20;

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

[[noreturn]] void fail(const ptx::Module& module, std::uint32_t line, const std::string& message) {
  throw Error(ErrorKind::bad_input, module.name + ":" + std::to_string(line) + ": " + message);
}

// `u64`, `b8[16]`.
std::string type_text(const ptx::Variable& v) {
  const std::uint64_t element = ptx::bytes_of(v.type);
  std::string text(name_of(v.type));
  return v.bytes == element ? text : text + "[" + std::to_string(v.bytes / element) + "]";
}

// Parameters of a kernel lie one after the other in its parameter bytes, each at its alignment.
Kernel describe_kernel(ModuleContext& context, const ptx::Function& f) {
  Kernel kernel;
  kernel.name = f.name;
  kernel.max_threads = f.max_threads;
  std::uint64_t top = 0;
  for (const std::uint32_t id : f.parameters) {
    const ptx::Variable& v = context.module.variables[id];
    top = align_up(top, v.align);
    context.variable_offset[id] = static_cast<std::uint32_t>(top);
    context.kernel_parameter[id] = true;
    kernel.parameters.push_back(
        {v.name, type_text(v), static_cast<std::uint32_t>(top), static_cast<std::uint32_t>(v.bytes), v.align});
    top += v.bytes;
    // PTX ISA, "Kernel Function Parameters": 32,764 bytes at most.
    if (top > 32764) fail(context.module, f.line, "the parameters of '" + f.name + "' take more than 32764 bytes");
  }
  kernel.parameter_bytes = static_cast<std::uint32_t>(top);
  return kernel;
}

// Local variables and the parameters of calls lie in the lanes' local memory, frame by frame.
void place_locals(ModuleContext& context) {
  std::vector<std::uint64_t> tops(context.module.functions.size(), 0);
  for (std::uint32_t id = 0; id < context.module.variables.size(); ++id) {
    const ptx::Variable& v = context.module.variables[id];
    const bool local = v.space == ptx::Space::local || (v.space == ptx::Space::param && !context.kernel_parameter[id]);
    if (!local) continue;
    if (v.function == ptx::none) fail(context.module, v.line, "'" + v.name + "' must be declared inside a function");
    std::uint64_t& top = tops[v.function];
    top = align_up(top, v.align);
    context.variable_offset[id] = static_cast<std::uint32_t>(top);
    top += v.bytes;
    if (top > max_local_bytes) {
      fail(context.module, v.line,
           "local variables of '" + context.module.functions[v.function].name +
               "' take more than the 512 KiB that a thread has");
    }
  }
  for (std::size_t f = 0; f < tops.size(); ++f) {
    context.program.functions[f].local_bytes = static_cast<std::uint32_t>(align_up(tops[f], 16));
  }
}

// What a call through a pointer may reach.
std::vector<std::uint32_t> functions_pointed_at(const ModuleContext& context) {
  std::set<std::uint32_t> found;
  for (const ptx::Variable& v : context.module.variables) {
    for (const ptx::Relocation& r : v.relocations) {
      if (r.function != ptx::none) found.insert(r.function);
    }
  }
  for (const ptx::Function& f : context.module.functions) {
    for (const ptx::Instruction& instruction : f.code) {
      if (instruction.root != "mov" || instruction.operands.size() != 2) continue;
      const auto id = context.function_ids.find(instruction.operands[1].name);
      if (id != context.function_ids.end()) found.insert(id->second);
    }
  }
  std::erase_if(found, [&](std::uint32_t f) { return context.module.functions[f].entry; });
  return {found.begin(), found.end()};
}

// Frame slots become byte offsets: frame pointers, then 64-bit, 32-bit and predicate slots.
class FrameLayout {
 public:
  explicit FrameLayout(const FrameSize& size)
      : word_at_(std::uint64_t{bytes_of(RegisterClass::wide)} * (1 + std::uint64_t{size.wide})),
        predicate_at_(word_at_ + std::uint64_t{bytes_of(RegisterClass::word)} * size.word),
        bytes_(align_up(predicate_at_ + std::uint64_t{bytes_of(RegisterClass::predicate)} * size.predicate, 64)) {}

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t word_at() const { return word_at_; }
  [[nodiscard]] std::uint64_t predicate_at() const { return predicate_at_; }
  void place(Slot& slot) const {
    if (!slot.used() || slot.area() != Slot::Area::frame) return;
    slot = Slot(Slot::Area::frame, slot.value() == local_base_marker ? 0 : static_cast<std::uint32_t>(offset(slot)));
  }

 private:
  [[nodiscard]] std::uint64_t offset(Slot slot) const {
    const RegisterClass c = frame_slot_class(slot);
    const std::uint64_t begin = c == RegisterClass::wide   ? bytes_of(RegisterClass::wide)
                                : c == RegisterClass::word ? word_at_
                                                           : predicate_at_;
    return begin + std::uint64_t{frame_slot_index(slot)} * bytes_of(c);
  }

  std::uint64_t word_at_, predicate_at_, bytes_;
};

void lay_out_frames(ModuleContext& context) {
  const FrameLayout layout(context.frame);
  if (layout.bytes() > max_frame_bytes) {
    throw Error(ErrorKind::bad_input, context.module.name + ": a function keeps more registers than 64 MiB a warp");
  }
  for (Op& op : context.program.ops) {
    for (Slot* slot : {&op.d, &op.d2, &op.a, &op.b, &op.c, &op.guard}) layout.place(*slot);
  }
  for (Slot& slot : context.program.lists) layout.place(slot);
  context.program.frame_bytes = static_cast<std::uint32_t>(layout.bytes());
  context.program.word_at = static_cast<std::uint32_t>(layout.word_at());
  context.program.predicate_at = static_cast<std::uint32_t>(layout.predicate_at());
}

}  // namespace

Program decode(ptx::Module module) {
  expand_wmma(module);
  Program program;
  ModuleContext context(program, module);
  for (std::uint32_t id = 0; id < module.functions.size(); ++id) {
    const ptx::Function& f = module.functions[id];
    context.function_ids[f.name] = id;
    FunctionCode code;
    code.name = f.name;
    code.entry = f.entry;
    code.defined = f.defined;
    program.functions.push_back(std::move(code));
    if (!f.entry || !f.defined) continue;
    program.kernels.push_back(describe_kernel(context, f));
    program.kernel_functions.push_back(id);
  }
  place_locals(context);
  context.pointed_at = functions_pointed_at(context);
  for (std::uint32_t id = 0; id < module.functions.size(); ++id) {
    if (module.functions[id].defined) FunctionDecoder(context, id).decode();
  }
  lay_out_frames(context);
  for (ptx::Function& f : module.functions) f = {};
  program.source = std::move(module);
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    const SharedLayout shared = lay_out_shared(program, program.kernel_functions[i]);
    program.kernels[i].static_shared_bytes = static_cast<std::uint32_t>(shared.static_bytes);
  }
  return program;
}

}  // namespace tileloom::emu
