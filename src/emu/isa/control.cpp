// SPDX-License-Identifier: Apache-2.0
// Control flow and barriers; what they do is in machine/interpreter.cpp. PTX ISA, "Control Flow Instructions",
// "Parallel Synchronization and Communication Instructions". Fences order nothing here: every access is performed at
// once.
#include <algorithm>
#include <array>

#include "emu/isa/families.hpp"
#include "emu/isa/function_decoder.hpp"
#include "emu/machine/barrier_mode.hpp"
#include "emu/machine/warp.hpp"

namespace tileloom::emu {
namespace {

using ptx::Operand;
using ptx::Type;

void nothing(Warp&, const Op&) {}

void decode_bra(Instr& in) {
  static_cast<void>(in.flag("uni"));
  in.expect_operands(1);
  if (in.operand(0).kind != Operand::Kind::name) in.fail("'bra' takes a label");
  in.op.kind = Op::Kind::branch;
  in.op.target = in.function().label(in.source(), in.operand(0).name);
  in.emit(&nothing);
}

void decode_brx(Instr& in) {
  static_cast<void>(in.flag("uni"));
  if (!in.flag("idx")) in.fail_unsupported();
  in.expect_operands(2);
  const ptx::Label& table = in.function().branch_targets(in.source(), in.operand(1).name);
  std::vector<std::uint32_t>& targets = in.function().module().program.targets;
  in.op.kind = Op::Kind::branch_table;
  in.op.a = in.read(0, Type::u32);
  in.op.target = static_cast<std::uint32_t>(targets.size());
  in.op.imm = static_cast<std::int64_t>(table.targets.size());
  for (const std::string& name : table.targets) targets.push_back(in.function().label(in.source(), name));
  in.emit(&nothing);
}

// The `.param` variables between the parentheses of a call.
std::vector<std::uint32_t> call_variables(Instr& in, const Operand& list) {
  std::vector<std::uint32_t> variables;
  for (const Operand& e : list.elements) {
    if (e.kind != Operand::Kind::variable) in.fail("'call' passes .param variables only");
    variables.push_back(e.id);
  }
  return variables;
}

// What a call passes: variables of the caller.
struct Passed {
  std::vector<std::uint32_t> results, arguments;
};

std::uint64_t size_of(const ModuleContext& context, std::uint32_t variable) {
  return context.module.variables[variable].bytes;
}

std::vector<ParameterCopy> pair_up(const ModuleContext& context, const std::vector<std::uint32_t>& actual,
                                   const std::vector<std::uint32_t>& formal) {
  std::vector<ParameterCopy> copies;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const auto bytes = static_cast<std::uint32_t>(size_of(context, formal[i]));
    if (bytes != 0) copies.push_back({context.variable_offset[actual[i]], context.variable_offset[formal[i]], bytes});
  }
  return copies;
}

Call call_of(const ModuleContext& context, std::uint32_t function, const Passed& passed) {
  const ptx::Function& target = context.module.functions[function];
  if (!target.defined) return {function, {}, {}};
  return {function, pair_up(context, passed.arguments, target.parameters),
          pair_up(context, passed.results, target.returns)};
}

void expect_same(Instr& in, const std::vector<std::uint32_t>& actual, const std::vector<std::uint32_t>& formal,
                 const std::string& what) {
  const ModuleContext& context = in.function().module();
  if (actual.size() != formal.size()) {
    in.fail("'call' passes " + std::to_string(actual.size()) + " " + what + ", the function has " +
            std::to_string(formal.size()));
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const ptx::Variable& from = context.module.variables[actual[i]];
    const ptx::Variable& to = context.module.variables[formal[i]];
    if (from.bytes == to.bytes) continue;
    in.fail("'call' passes " + std::to_string(from.bytes) + " bytes in '" + from.name + "', '" + to.name + "' has " +
            std::to_string(to.bytes));
  }
}

void decode_direct_call(Instr& in, const std::string& name, const Passed& passed) {
  ModuleContext& context = in.function().module();
  const std::uint32_t id = in.function().function_id(name);
  if (id == ptx::none) in.fail("function '" + name + "' is not declared");
  const ptx::Function& target = context.module.functions[id];
  if (target.entry) in.fail("'" + name + "' is a kernel and cannot be called");
  if (target.defined) {
    expect_same(in, passed.arguments, target.parameters, "arguments");
    expect_same(in, passed.results, target.returns, "results");
  }
  in.function().code().callees.push_back(id);
  in.op.kind = Op::Kind::call;
  in.op.target = static_cast<std::uint32_t>(context.program.calls.size());
  context.program.calls.push_back(call_of(context, id, passed));
  in.emit(&nothing);
}

bool takes(const ModuleContext& context, std::uint32_t function, const Passed& passed) {
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return size_of(context, a) == size_of(context, b); };
  const ptx::Function& f = context.module.functions[function];
  return std::ranges::equal(passed.arguments, f.parameters, same) &&
         std::ranges::equal(passed.results, f.returns, same);
}

// One call for each function that the pointer may point to.
void decode_indirect_call(Instr& in, const Operand& pointer, const Passed& passed) {
  ModuleContext& context = in.function().module();
  in.op.kind = Op::Kind::indirect_call;
  in.op.a = in.read(pointer, Type::u64);
  in.op.target = static_cast<std::uint32_t>(context.program.calls.size());
  for (const std::uint32_t function : context.pointed_at) {
    if (!takes(context, function, passed)) continue;
    in.function().code().callees.push_back(function);
    context.program.calls.push_back(call_of(context, function, passed));
    ++in.op.imm;
  }
  in.emit(&nothing);
}

// call [(results),] function [, (arguments)]; through a pointer a prototype or table of targets follows.
void decode_call(Instr& in) {
  static_cast<void>(in.flag("uni"));
  std::size_t at = 0;
  Passed passed;
  const auto list_at = [&](std::size_t i) {
    return i < in.operand_count() && in.operand(i).kind == Operand::Kind::list;
  };
  if (list_at(at)) passed.results = call_variables(in, in.operand(at++));
  if (at >= in.operand_count()) in.fail("'call' takes a function");
  const Operand& callee = in.operand(at++);
  if (list_at(at)) passed.arguments = call_variables(in, in.operand(at));
  if (callee.kind == Operand::Kind::reg) return decode_indirect_call(in, callee, passed);
  if (callee.kind != Operand::Kind::name) in.fail("'call' takes a function or a register with its address");
  decode_direct_call(in, callee.name, passed);
}

void decode_ret(Instr& in) {
  static_cast<void>(in.flag("uni"));
  in.expect_operands(0);
  in.op.kind = in.function().source().entry ? Op::Kind::exit : Op::Kind::ret;
  in.emit(&nothing);
}

void decode_exit(Instr& in) {
  in.expect_operands(0);
  in.op.kind = Op::Kind::exit;
  in.emit(&nothing);
}

void trap(Warp& w, const Op&) {
  w.fail("trap", "executed", static_cast<unsigned>(__builtin_ctz(w.exec)));
}

void decode_trap(Instr& in) {
  in.expect_operands(0);
  in.emit(&trap);
}

// Hints and fences.
void decode_nothing(Instr& in) {
  for (const std::string& m : in.modifiers()) in.ignore_prefix(m);
  in.emit(&nothing);
}

// bar.{sync|arrive} id [, threads]; bar.red.op d, id [, threads], predicate
void decode_cta_barrier(Instr& in, bool aligned) {
  const std::string_view action = in.one_of({"sync", "arrive", "red"});
  if (action.empty()) in.fail_unsupported();
  in.op.kind = Op::Kind::cta_barrier;
  in.op.whole_warp = aligned;
  std::size_t at = 0;
  BarrierMode mode;
  mode.action = action == "sync"     ? BarrierMode::sync
                : action == "arrive" ? BarrierMode::arrive
                                     : BarrierMode::reduce_and;
  if (action == "red") {
    const std::string_view operation = in.one_of({"popc", "and", "or"});
    if (operation.empty()) in.fail_unsupported();
    const bool count = operation == "popc";
    mode.action = count                ? BarrierMode::reduce_popc
                  : operation == "and" ? BarrierMode::reduce_and
                                       : BarrierMode::reduce_or;
    in.expect_type({count ? Type::u32 : Type::pred});
    in.expect_operands(3, 4);
    in.op.d = in.write(at++, count ? Type::u32 : Type::pred);
    in.op.c = in.read_predicate(in.operand_count() - 1, mode.negated);
  } else {
    in.expect_operands(action == "arrive" ? 2 : 1, 2);
  }
  in.op.a = in.read(at++, Type::u32);
  if (at + (action == "red" ? 1 : 0) < in.operand_count()) in.op.b = in.read(at, Type::u32);
  in.op.mode = mode.pack();
  in.emit(&nothing);
}

void decode_bar(Instr& in) {
  if (in.flag("warp")) {
    if (!in.flag("sync")) in.fail_unsupported();
    in.expect_operands(1);
    in.op.kind = Op::Kind::warp_barrier;
    in.op.c = in.read(0, Type::b32);
    in.emit(&nothing);
    return;
  }
  static_cast<void>(in.flag("cta"));
  decode_cta_barrier(in, true);
}

void decode_barrier(Instr& in) {
  if (in.flag("cluster")) in.fail_unsupported();
  static_cast<void>(in.flag("cta"));
  const bool aligned = in.flag("aligned");
  decode_cta_barrier(in, aligned);
}

constexpr std::array entries{
    DecodeEntry{"bra", Family::any, decode_bra},
    DecodeEntry{"brx", Family::any, decode_brx},
    DecodeEntry{"call", Family::any, decode_call},
    DecodeEntry{"ret", Family::any, decode_ret},
    DecodeEntry{"exit", Family::any, decode_exit},
    DecodeEntry{"trap", Family::any, decode_trap},
    DecodeEntry{"brkpt", Family::any, decode_nothing},
    DecodeEntry{"bar", Family::any, decode_bar},
    DecodeEntry{"barrier", Family::any, decode_barrier},
    DecodeEntry{"membar", Family::any, decode_nothing},
    DecodeEntry{"fence", Family::any, decode_nothing},
    DecodeEntry{"nanosleep", Family::any, decode_nothing},
    DecodeEntry{"griddepcontrol", Family::any, decode_nothing},
    DecodeEntry{"pmevent", Family::any, decode_nothing},
    DecodeEntry{"setmaxnreg", Family::any, decode_nothing},
};

}  // namespace

std::span<const DecodeEntry> control_instructions() {
  return entries;
}

}  // namespace tileloom::emu
