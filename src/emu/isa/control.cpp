// SPDX-License-Identifier: Apache-2.0
// Control flow and barriers; what they do is in machine/interpreter.cpp. PTX ISA, "Control Flow Instructions",
// "Parallel Synchronization and Communication Instructions". Fences order nothing here: every access is performed at
// once.
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

std::vector<ParameterCopy> pair_up(Instr& in, const std::vector<std::uint32_t>& actual,
                                   const std::vector<std::uint32_t>& formal, const std::string& what) {
  const ModuleContext& context = in.function().module();
  if (actual.size() != formal.size()) {
    in.fail("'call' passes " + std::to_string(actual.size()) + " " + what + ", the function has " +
            std::to_string(formal.size()));
  }
  std::vector<ParameterCopy> copies;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const ptx::Variable& from = context.module.variables[actual[i]];
    const ptx::Variable& to = context.module.variables[formal[i]];
    if (from.bytes != to.bytes) {
      in.fail("'call' passes " + std::to_string(from.bytes) + " bytes in '" + from.name + "', '" + to.name + "' has " +
              std::to_string(to.bytes));
    }
    if (to.bytes == 0) continue;
    copies.push_back(
        {context.variable_offset[actual[i]], context.variable_offset[formal[i]], static_cast<std::uint32_t>(to.bytes)});
  }
  return copies;
}

// call [(results),] function [, (arguments)] [, prototype];
void decode_call(Instr& in) {
  static_cast<void>(in.flag("uni"));
  std::size_t at = 0;
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> arguments;
  if (at < in.operand_count() && in.operand(at).kind == Operand::Kind::list)
    results = call_variables(in, in.operand(at++));
  if (at >= in.operand_count()) in.fail("'call' takes a function");
  const Operand& callee = in.operand(at++);
  if (callee.kind != Operand::Kind::name) in.fail("calls through a pointer are not supported");
  if (at < in.operand_count() && in.operand(at).kind == Operand::Kind::list)
    arguments = call_variables(in, in.operand(at));
  const std::uint32_t id = in.function().function_id(callee.name);
  if (id == ptx::none) in.fail("function '" + callee.name + "' is not declared");
  const ptx::Function& target = in.function().module().module.functions[id];
  if (target.entry) in.fail("'" + callee.name + "' is a kernel and cannot be called");
  Call call;
  call.function = id;
  if (target.defined) {
    call.arguments = pair_up(in, arguments, target.parameters, "arguments");
    call.results = pair_up(in, results, target.returns, "results");
  }
  in.function().code().callees.push_back(id);
  std::vector<Call>& calls = in.function().module().program.calls;
  in.op.kind = Op::Kind::call;
  in.op.target = static_cast<std::uint32_t>(calls.size());
  calls.push_back(std::move(call));
  in.emit(&nothing);
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
