// SPDX-License-Identifier: Apache-2.0
// What lies in shared memory.
#include <algorithm>

#include "tileloom/trace/tile_table.hpp"
#include "trace/check/properties.hpp"
#include "trace/copy_ends.hpp"

namespace tileloom::trace {

using std::to_string;

namespace {

// How often each element is written into and read out of shared memory; by the MMA where no copy is named.
std::vector<int> occurrences(const Kernel& kernel, const OperandPath& path, bool write) {
  const Extent extent = copied_extent(path);
  const std::optional<TiledCopy>& copy = write ? path.fill : path.drain;
  if (copy) {
    return TileTable(*copy, write ? End::destination : End::source, extent.rows, extent.columns).occurrences();
  }
  return TileTable(kernel.mma, path.operand, extent.rows, extent.columns).occurrences();
}

// Global -> shared -> registers, or registers -> shared -> global: has the kernel both halves?
bool has_both_ends(const OperandPath& path) {
  return path.shared && (path.operand == Operand::c ? path.drain.has_value() : path.fill.has_value());
}

std::int64_t stage_bytes(const Kernel& kernel) {
  std::int64_t bytes = 0;
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    bytes += p.shared ? p.elements() * p.bits / 8 : 0;
  }
  return bytes;
}

// An element of A or B in shared memory; 0 stands for none.
struct Owner {
  Operand operand = Operand::a;
  std::int64_t index = -1;
  [[nodiscard]] std::string name(const Kernel& kernel) const {
    const OperandPath& p = kernel.path(operand);
    const std::int64_t in_tile = index % p.elements();
    return element_name(operand, in_tile % p.rows, in_tile / p.rows) + " of stage " + to_string(index / p.elements());
  }
};

Property both_ends_of(const Kernel& kernel, const OperandPath& p) {
  const std::int64_t rows = copied_extent(p).rows;
  const std::vector<int> written = occurrences(kernel, p, true);
  const std::vector<int> read = occurrences(kernel, p, false);
  Findings wrong;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if ((written[i] > 0) != (read[i] > 0)) {
      const auto at = static_cast<std::int64_t>(i);
      wrong.add(element_name(p.operand, at % rows, at / rows) +
                (written[i] > 0 ? ": written, not read" : ": read, not written"));
    }
  }
  const bool output = p.operand == Operand::c;
  const std::int64_t stages = output ? 1 : mode_size(*p.shared, 2);
  if (!output && stages != kernel.config.stages) {
    wrong.add(counted(stages, "stage") + " in the layout, " + to_string(kernel.config.stages) + " in the kernel");
  }
  const std::string x = output ? "a slab of D" : std::string(1, letter(p.operand));
  const std::string size =
      counted(static_cast<std::int64_t>(written.size()), "element") + (output ? "" : ", " + counted(stages, "stage"));
  return wrong.property("both ends", x + ": what is written is what is read, " + size,
                        x + ": written and read differ in " + counted(wrong.count(), "place"),
                        "let both copies cover the same tile");
}

}  // namespace

// What is written must be what is read: the same elements of the same layout, in every stage.
void check_both_ends(const Kernel& kernel, Properties& out) {
  for (const OperandPath& p : kernel.operands) {
    if (has_both_ends(p)) {
      out.push_back(both_ends_of(kernel, p));
    }
  }
}

// No two elements of A and B, in any stage, share a byte. Elements of less than a byte share theirs.
void check_overlap(const Kernel& kernel, Properties& out) {
  std::vector<Owner> owners(static_cast<std::size_t>(kernel.shared_bytes));
  Findings wrong;
  bool any = false;
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    if (!p.shared || p.bits < 8) {
      continue;
    }
    any = true;
    const std::int64_t count = p.elements() * mode_size(*p.shared, 2);
    const std::vector<std::int64_t> bytes = element_bytes(*p.shared, p.shared_at, p.bits, p.rows, count / p.rows);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t byte = bytes[static_cast<std::size_t>(i)];
      if (byte >= kernel.shared_bytes) {  // a swizzle can lead beyond the layout it is put on
        wrong.add("byte " + to_string(byte) + ": " + Owner{o, i}.name(kernel) + ", beyond the " +
                  to_string(kernel.shared_bytes) + " bytes of the layouts");
        continue;
      }
      Owner& owner = owners.at(static_cast<std::size_t>(byte));
      if (owner.index >= 0) {
        wrong.add("byte " + to_string(byte) + ": " + owner.name(kernel) + " and " + Owner{o, i}.name(kernel));
      } else {
        owner = {o, i};
      }
    }
  }
  if (any) {
    out.push_back(wrong.property("overlap", "no two elements of A and B share a byte of shared memory",
                                 counted(wrong.count(), "element") + " of A and B not alone in shared memory",
                                 "give the layouts distinct offsets, or smem.at"));
  }
}

void check_epilogue(const Kernel& kernel, Properties& out) {
  const OperandPath& c = kernel.path(Operand::c);
  if (!c.shared) {
    return;
  }
  const std::int64_t stage = stage_bytes(kernel);
  const std::int64_t bytes = cosize(domain(*c.shared)).value * c.bits / 8;
  const bool fits = stage == 0 || bytes <= stage;
  out.push_back({"epilogue", fits ? Verdict::good : Verdict::bad,
                 "C's " + to_string(bytes) + " bytes in shared memory, one stage of A and B has " + to_string(stage),
                 fits ? "" : "write C in smaller parts"});
}

void check_shared_bytes(const Kernel& kernel, const hw::Limits& limits, Properties& out) {
  const std::int64_t fixed = kernel.config.smem_static;
  const std::int64_t bytes = kernel.shared_bytes + fixed;
  const bool fits = bytes <= limits.shared_bytes_per_cta && fixed <= limits.static_shared_bytes_per_cta;
  const std::string parts = fixed == 0 ? "" : " (" + to_string(fixed) + " of them static)";
  // Beyond what every kernel may have, the launch must ask for it, and both calls can fail.
  const std::string opt_in =
      fits && bytes > limits.static_shared_bytes_per_cta
          ? ", above " + to_string(limits.static_shared_bytes_per_cta) + " by opt-in (cudaFuncSetAttribute)"
          : "";
  out.push_back({"shared memory", fits ? Verdict::good : Verdict::bad,
                 to_string(bytes) + " bytes" + parts + " of at most " + to_string(limits.shared_bytes_per_cta) + opt_in,
                 fits ? "" : "fewer stages or a smaller tile"});
}

}  // namespace tileloom::trace
