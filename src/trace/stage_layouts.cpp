// SPDX-License-Identifier: Apache-2.0
#include "trace/stage_layouts.hpp"

#include "trace/steps.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;

namespace {

// The tensors of one operand.
class Describer {
 public:
  Describer(const Kernel& kernel, Operand operand, std::int64_t thread, CtaIndex cta)
      : kernel_(kernel),
        path_(kernel.path(operand)),
        thread_(Int::make_dynamic(thread)),
        cta_(cta),
        x_(1, letter(operand)),
        mn_(operand == Operand::b ? "N" : "M"),
        pipe_(path_.shared && domain(*path_.shared).rank() == 3 ? ", PIPE)" : ")") {}

  void load(std::vector<StageLayouts>& out) const {
    const OperandPath& p = path_;
    const std::string copy = "(CPY, CPY_" + mn_ + ", CPY_K";
    StageLayouts memory{step_name(p, Step::fill), p.fill ? p.fill->atom().name : "", {}};
    if (p.global) memory.tensors.push_back(global("(TILE_" + mn_ + ", TILE_K, k)"));
    if (p.shared) memory.tensors.push_back(shared("(TILE_" + mn_ + ", TILE_K" + pipe_));
    if (p.fill) {
      if (p.global) {
        memory.tensors.push_back(part("t" + x_ + "g" + x_, copy + ", k)", Memory::global, Division::fill_source));
      }
      memory.tensors.push_back(part("t" + x_ + "s" + x_, copy + pipe_, Memory::shared, Division::fill_destination));
    } else {
      memory.step = x_ + (p.shared ? ": shared memory" : p.global ? ": global memory" : ": elements");
    }
    if (!memory.tensors.empty()) out.push_back(std::move(memory));

    StageLayouts registers{step_name(p, Step::drain), p.drain ? p.drain->atom().name : "", {}};
    const std::string mma = "(MMA, MMA_" + mn_ + ", MMA_K";
    if (p.shared || p.global) {
      registers.tensors.push_back(part(std::string("tC") + (p.shared ? "s" : "g") + x_,
                                       mma + (p.shared ? pipe_ : ", k)"), p.shared ? Memory::shared : Memory::global,
                                       Division::mma));
    }
    registers.tensors.push_back(in_registers("tCr" + x_, mma + ")", p.fragment, Division::mma));
    if (p.drain) {
      registers.tensors.push_back(part("tXs" + x_, copy + pipe_, Memory::shared, Division::drain_source));
      registers.tensors.push_back(
          in_registers("tXr" + x_, copy + ")", p.drain->retile(p.fragment), Division::drain_destination));
    }
    out.push_back(std::move(registers));
  }

  void store(std::vector<StageLayouts>& out) const {
    const OperandPath& p = path_;
    StageLayouts sums{"C: accumulators", "", {}};
    if (p.global) {
      sums.tensors.push_back(global("(TILE_M, TILE_N)"));
      sums.tensors.push_back(part("tCgC", "(MMA, MMA_M, MMA_N)", Memory::global, Division::mma));
    }
    sums.tensors.push_back(in_registers("tCrC", "(MMA, MMA_M, MMA_N)", p.fragment, Division::mma));
    out.push_back(std::move(sums));
    const std::string copy = "(CPY, CPY_M, CPY_N";
    if (p.fill) {
      out.push_back({step_name(p, Step::fill),
                     p.fill->atom().name,
                     {shared("(SLAB_M, SLAB_N" + pipe_),
                      in_registers("tCrC_r2s", copy + ")", p.fill->retile(p.fragment), Division::fill_source),
                      part("tCsC_r2s", copy + pipe_, Memory::shared, Division::fill_destination)}});
    }
    if (p.drain) {
      StageLayouts last{step_name(p, Step::drain), p.drain->atom().name, {}};
      if (p.shared) {
        last.tensors.push_back(part("tCsC_s2g", copy + pipe_, Memory::shared, Division::drain_source));
      }
      if (p.global) {
        last.tensors.push_back(
            part(p.shared ? "tCgC_s2g" : "tCgC_r2g", copy + ")", Memory::global, Division::drain_destination));
      }
      out.push_back(std::move(last));
    }
  }

 private:
  [[nodiscard]] NamedLayout global(const std::string& modes) const {
    const hw::MatrixPosition origin = tile_origin(path_, cta_);
    return {"g" + x_,
            modes,
            *path_.global,
            path_.operand,
            Memory::global,
            Division::none,
            offset_at(*path_.matrix, origin.row, origin.column)};
  }
  [[nodiscard]] NamedLayout shared(const std::string& modes) const {
    return {"s" + x_, modes, *path_.shared, path_.operand, Memory::shared, Division::none, 0};
  }
  [[nodiscard]] NamedLayout in_registers(const std::string& name, const std::string& modes, AnyLayout l,
                                         Division division) const {
    return {name, modes, std::move(l), path_.operand, Memory::registers, division, 0};
  }
  [[nodiscard]] NamedLayout part(const std::string& name, const std::string& modes, Memory memory,
                                 Division division) const {
    layout::Sliced s = partition(memory == Memory::global ? *path_.global : *path_.shared, division);
    return {name, modes, std::move(s.layout), path_.operand, memory, division, s.offset.leaf().value};
  }
  [[nodiscard]] layout::Sliced partition(const AnyLayout& tensor, Division division) const {
    switch (division) {
      case Division::fill_source:
        return path_.fill->partition_source(tensor, thread_);
      case Division::fill_destination:
        return path_.fill->partition_destination(tensor, thread_);
      case Division::drain_source:
        return path_.drain->partition_source(tensor, thread_);
      case Division::drain_destination:
        return path_.drain->partition_destination(tensor, thread_);
      case Division::none:
      case Division::mma:
        break;
    }
    return kernel_.mma.partition(path_.operand, tensor, thread_);
  }

  const Kernel& kernel_;
  const OperandPath& path_;
  Int thread_;
  CtaIndex cta_;
  std::string x_, mn_, pipe_;
};

}  // namespace

std::vector<StageLayouts> stage_layouts(const Kernel& kernel, std::int64_t thread, CtaIndex cta) {
  std::vector<StageLayouts> all;
  Describer(kernel, Operand::a, thread, cta).load(all);
  Describer(kernel, Operand::b, thread, cta).load(all);
  Describer(kernel, Operand::c, thread, cta).store(all);
  return all;
}

}  // namespace tileloom::trace
