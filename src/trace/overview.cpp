// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/overview.hpp"

#include "tileloom/error.hpp"
#include "tileloom/trace/fragment.hpp"
#include "trace/stage_layouts.hpp"
#include "trace/steps.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::LayoutRef;

namespace {

std::int64_t modes_product(const AnyLayout& l, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t i = first; i < last; ++i) {
    n *= mode_size(l, i);
  }
  return n;
}

// --- Numbers -----------------------------------------------------------------------------------------------------

Expansion expansion_of(const Kernel& kernel) {
  const hw::MmaAtom& atom = kernel.mma.atom();
  Expansion e;
  e.atom = {atom.m, atom.n, atom.k};
  for (std::size_t i = 0; i < 3; ++i) {
    e.atoms.at(i) = size(LayoutRef(kernel.mma.thr_layout_vmnk())[i + 1]).value;
    e.permutation.at(i) = kernel.mma.tile_size(i).value;
  }
  e.tile = kernel.config.tile;
  e.atom_threads = atom.threads;
  e.threads = kernel.threads();
  return e;
}

// Executions of a copy instruction in a whole tile of `elements`, by each group of threads that executes it together.
std::int64_t copies_each(const TiledCopy& copy, std::int64_t elements) {
  return elements / copy.threads().value / size(LayoutRef(copy.atom_reference())[1]).value;
}

std::int64_t warps(const TiledCopy& copy) {
  return (copy.threads().value + 31) / 32;
}

std::vector<InstructionCount> counts_of(const Kernel& kernel) {
  std::vector<InstructionCount> all;
  const OperandPath& c = kernel.path(Operand::c);
  const AnyLayout a_fragment = kernel.path(Operand::a).fragment;
  const std::int64_t k_blocks = mode_size(a_fragment, 2);
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    if (p.fill) {
      const std::int64_t each = copies_each(*p.fill, p.elements());
      all.push_back({step_name(p, Step::fill), p.fill->atom().name, 0, each, each * warps(*p.fill)});
    }
  }
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    if (p.drain) {
      const AnyLayout registers = p.drain->retile(p.fragment);
      const std::int64_t each = modes_product(registers, 0, 3) / size(LayoutRef(p.drain->atom_destination())[1]).value;
      all.push_back({step_name(p, Step::drain), p.drain->atom().name, each % k_blocks == 0 ? each / k_blocks : 0, each,
                     each * warps(*p.drain)});
    }
  }
  const std::int64_t products = modes_product(AnyLayout(c.fragment), 1, 3);
  const std::int64_t groups = kernel.threads() / kernel.mma.atom().threads;
  all.push_back({"mma", kernel.mma.atom().name, products, products * k_blocks, products * k_blocks * groups});
  for (const Step step : {Step::fill, Step::drain}) {
    const auto& copy = step == Step::fill ? c.fill : c.drain;
    if (copy) {
      const std::int64_t each = copies_each(*copy, c.elements());
      all.push_back({step_name(c, step), copy->atom().name, 0, 0, each * warps(*copy)});
    }
  }
  return all;
}

std::vector<FragmentSize> fragments_of(const Kernel& kernel) {
  std::vector<FragmentSize> all;
  for (const OperandPath& p : kernel.operands) {
    const int bits = hw::bits(kernel.mma.operand(p.operand).type);
    all.push_back(
        {std::string("tCr") + letter(p.operand), cosize(p.fragment).value, bits, registers_of(p.fragment, bits)});
  }
  return all;
}

void collect(std::vector<Refusal>& all, const OperandPath& p, Step step, const TiledCopy& copy, End end,
             const AnyLayout& partition) {
  try {
    check_vectorizes(copy, end, partition, std::string(1, letter(p.operand)));
  } catch (const Error& e) {
    all.push_back({step_name(p, step), e.what(), e.hint()});
  }
}

}  // namespace

std::string step_name(const OperandPath& p, Step step) {
  const std::string x(1, letter(p.operand));
  if (p.operand == Operand::c) {
    return x + (step == Step::fill ? ": registers -> shared"
                : p.shared         ? ": shared -> global"
                                   : ": registers -> global");
  }
  if (step == Step::fill) {
    return x + ": global -> shared";
  }
  return x + (p.shared ? ": shared -> registers" : p.global ? ": global -> registers" : ": registers");
}

std::vector<Refusal> refusals(const Kernel& kernel) {
  std::vector<Refusal> all;
  const Int first = Int::make_dynamic(0);
  for (const OperandPath& p : kernel.operands) {
    const bool output = p.operand == Operand::c;
    if (p.fill) {
      if (output) {
        collect(all, p, Step::fill, *p.fill, End::source, p.fill->retile(p.fragment));
      } else if (p.global) {
        collect(all, p, Step::fill, *p.fill, End::source, p.fill->partition_source(*p.global, first).layout);
      }
      collect(all, p, Step::fill, *p.fill, End::destination, p.fill->partition_destination(*p.shared, first).layout);
    }
    if (p.drain) {
      if (p.shared) {
        collect(all, p, Step::drain, *p.drain, End::source, p.drain->partition_source(*p.shared, first).layout);
      }
      if (!output) {
        collect(all, p, Step::drain, *p.drain, End::destination, p.drain->retile(p.fragment));
      } else if (p.global) {
        collect(all, p, Step::drain, *p.drain, End::destination,
                p.drain->partition_destination(*p.global, first).layout);
      }
    }
  }
  return all;
}

Overview overview(const Kernel& kernel, std::int64_t thread, CtaIndex cta) {
  for (const Refusal& r : refusals(kernel)) {
    throw Error(ErrorKind::bad_input, r.message, r.hint);
  }
  check_cta(kernel, cta);
  if (thread < 0 || thread >= kernel.threads()) {
    throw Error(ErrorKind::bad_input,
                "thread " + std::to_string(thread) + ", expected 0 to " + std::to_string(kernel.threads() - 1));
  }
  Overview o;
  o.thread = thread;
  o.cta = cta;
  o.stages = stage_layouts(kernel, thread, cta);
  o.expansion = expansion_of(kernel);
  o.counts = counts_of(kernel);
  o.fragments = fragments_of(kernel);
  o.walk = gemm_walk(kernel);
  return o;
}

}  // namespace tileloom::trace
