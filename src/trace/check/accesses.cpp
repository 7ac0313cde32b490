// SPDX-License-Identifier: Apache-2.0
// What the instructions of a kernel ask for.
#include <algorithm>

#include "tileloom/trace/overview.hpp"
#include "trace/check/properties.hpp"
#include "trace/copy_ends.hpp"
#include "trace/steps.hpp"

namespace tileloom::trace {

using std::to_string;

namespace {

constexpr std::int64_t matrix_row = 16;  // bytes

bool moves_matrices(const TiledCopy& copy) {
  return copy.atom().kind == hw::CopyKind::ldmatrix || copy.atom().kind == hw::CopyKind::stmatrix;
}

struct Row {
  std::int64_t first = 0;  // byte
  bool contiguous = true;
};

Row row_at(const TileTable& table, int thread, int value, int values, std::int64_t rows,
           const std::vector<std::int64_t>& bytes, int bits) {
  const auto byte_of = [&](int v) {
    const hw::MatrixPosition p = table.at(thread, v);
    return bytes[static_cast<std::size_t>(p.row + rows * p.column)];
  };
  Row row{byte_of(value), true};
  for (int v = 1; v < values; ++v) {
    row.contiguous = row.contiguous && byte_of(value + v) == row.first + static_cast<std::int64_t>(v) * bits / 8;
  }
  return row;
}

// The rows of an operand's matrices that are not 16 bytes at a multiple of 16.
void look_at_rows(const OperandPath& path, Step step, const TiledCopy& copy, End end, Findings& broken) {
  const Extent extent = copied_extent(path);
  const std::vector<std::int64_t> bytes = shared_bytes(path);
  const TileTable table(copy, end, extent.rows, extent.columns);
  const int values = static_cast<int>(matrix_row) * 8 / path.bits;
  for (int thread = 0; thread < table.threads(); ++thread) {
    for (int v = 0; v + values <= table.values(); v += values) {
      const Row row = row_at(table, thread, v, values, extent.rows, bytes, path.bits);
      if (!row.contiguous || row.first % matrix_row != 0) {
        const hw::MatrixPosition p = table.at(thread, v);
        broken.add(step_name(path, step) + ": the row of thread " + to_string(thread) + " from " +
                   element_name(path.operand, p.row, p.column) + " on, shared byte " + to_string(row.first) +
                   (row.contiguous ? "" : ", lies apart"));
      }
    }
  }
}

// The most neighbours in memory that a thread holds one after the other, a power of two up to 16 bytes.
std::int64_t run_in_registers(const Kernel& kernel, const OperandPath& path) {
  const TileTable table(kernel.mma, path.operand, path.rows, path.columns);
  const std::vector<std::int64_t> bytes = element_bytes(*path.global, 0, path.bits, path.rows, path.columns);
  for (int run = static_cast<int>(matrix_row) * 8 / path.bits; run > 1; run /= 2) {
    bool all = table.values() % run == 0;
    for (int v = 0; all && v < table.values(); v += run) {
      all = row_at(table, 0, v, run, path.rows, bytes, path.bits).contiguous;
    }
    if (all) {
      return run;
    }
  }
  return 1;
}

// Registers and global memory without shared memory between them: an access a value.
Property narrow_access(const Kernel& kernel, const OperandPath& p) {
  const bool output = p.operand == Operand::c;
  const std::int64_t run = run_in_registers(kernel, p);
  std::string text = output ? "D leaves" : std::string(1, letter(p.operand)) + " comes";
  text += " in accesses of " + to_string(p.bits / 8) + " bytes";
  if (run > 1) {
    text += "; " + to_string(run) + " neighbours of a thread at once would be " + to_string(run * p.bits / 8);
  }
  return {"width", Verdict::note, text,
          output ? "stage the output in shared memory (smem.C, epilogue) and store 16 bytes a thread"
                 : "copy through shared memory (smem, g2s, s2r) 16 bytes a thread"};
}

}  // namespace

std::string element_name(Operand operand, std::int64_t row, std::int64_t column) {
  const char name = operand == Operand::c ? 'D' : letter(operand);
  return std::string(1, name) + "(" + to_string(row) + "," + to_string(column) + ")";
}

std::string counted(std::int64_t n, const std::string& noun) {
  return to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

void check_instructions(const Kernel& kernel, Properties& out) {
  std::vector<std::string> missing;
  const auto look = [&](const std::string& name, hw::Arch first, bool only) {
    if (only ? kernel.arch != first : kernel.arch < first) {
      missing.push_back(name + " needs " + hw::to_string(first) + (only ? " exactly" : ""));
    }
  };
  const hw::MmaAtom& mma = kernel.mma.atom();
  look(mma.name, mma.arch, mma.one_arch_only());
  for (const OperandPath& p : kernel.operands) {
    for (const auto* copy : {&p.fill, &p.drain}) {
      if (*copy) {
        look((*copy)->atom().name, (*copy)->atom().arch, false);
      }
    }
  }
  if (missing.empty()) {
    out.push_back({"instructions", Verdict::good, "all on " + hw::to_string(kernel.arch), ""});
  }
  for (const std::string& m : missing) {
    out.push_back({"instructions", Verdict::bad, m + ", the kernel is for " + hw::to_string(kernel.arch), ""});
  }
}

bool check_vectors(const Kernel& kernel, Properties& out) {
  const std::vector<Refusal> all = refusals(kernel);
  for (const Refusal& r : all) {
    out.push_back({"vectors", Verdict::bad, r.message, r.hint});
  }
  if (all.empty()) {
    out.push_back({"vectors", Verdict::good, "the values of every copy lie together", ""});
  }
  return all.empty();
}

void check_matrix_rows(const Kernel& kernel, Properties& out) {
  Findings broken;
  bool any = false;
  for (const OperandPath& p : kernel.operands) {
    const bool output = p.operand == Operand::c;
    const std::optional<TiledCopy>& copy = output ? p.fill : p.drain;
    if (p.shared && copy && moves_matrices(*copy)) {
      any = true;
      look_at_rows(p, output ? Step::fill : Step::drain, *copy, output ? End::destination : End::source, broken);
    }
  }
  if (any) {
    out.push_back(
        broken.property("matrix rows", "every row of ldmatrix and stmatrix is 16 bytes at a multiple of 16",
                        counted(broken.count(), "row") + " of ldmatrix and stmatrix not 16 bytes at a "
                                                         "multiple of 16",
                        "keep 16 bytes of a row together, at a multiple of 16: M of at least 3 in the swizzle "
                        "of 2-byte elements, strides of whole rows"));
  }
}

void check_alignment(const std::vector<SiteCost>& sites, Properties& out) {
  const std::size_t before = out.size();
  for (const SiteCost& s : sites) {
    if (s.alignment < s.width) {
      out.push_back({"alignment", Verdict::bad,
                     s.site + ", " + s.memory + ": accesses of " + to_string(s.width) +
                         " bytes, known to be at multiples of " + to_string(s.alignment) + "; the limit is " +
                         s.limited_by,
                     s.memory == "global"
                         ? "if a symbol always is a multiple, say so: K{div=8}; else choose a "
                           "narrower instruction"
                         : "choose strides and an offset of whole multiples of " + to_string(s.width) + " bytes"});
    }
  }
  if (out.size() == before) {
    out.push_back({"alignment", Verdict::good, "every access at a multiple of its width", ""});
  }
}

// A range of wavefronts proves nothing, so it never fails.
void check_conflicts(const std::vector<SiteCost>& sites, const CheckOptions& options, Properties& out) {
  if (!options.max_conflicts) {
    return;
  }
  const std::size_t before = out.size();
  for (const SiteCost& s : sites) {
    if (s.shared && s.shared->worst.exact && s.shared->worst.high - s.shared->worst.ideal > *options.max_conflicts) {
      out.push_back({"conflicts", Verdict::bad,
                     s.site + ", " + s.memory + ": " + to_string(s.shared->worst.high) + " wavefronts, " +
                         to_string(s.shared->worst.ideal) + " without conflicts",
                     "tileloom check --suggest looks for a layout without them"});
    }
  }
  if (out.size() == before) {
    out.push_back({"conflicts", Verdict::good,
                   "at most " + to_string(*options.max_conflicts) + " wavefronts more than without conflicts", ""});
  }
}

void note_narrow_accesses(const Kernel& kernel, Properties& out) {
  for (const OperandPath& p : kernel.operands) {
    if (!p.shared && !p.drain && p.global) {
      out.push_back(narrow_access(kernel, p));
    }
  }
}

}  // namespace tileloom::trace
