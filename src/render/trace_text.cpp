// SPDX-License-Identifier: Apache-2.0
#include "render/trace_text.hpp"

#include <algorithm>

#include "render/atom_table.hpp"

namespace tileloom::render {

using std::to_string;
using trace::Expansion;
using trace::Kernel;
using trace::Overview;

namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string times(std::int64_t factor, std::int64_t result) {
  return "x" + to_string(factor) + " = " + to_string(result);
}

void expansion_text(std::ostream& out, const Expansion& e) {
  TextTable table{{"tiled MMA", "M", "N", "K", "threads"}, {}};
  std::vector<std::string> atom{"atom"};
  std::vector<std::string> atoms{"atom layout"};
  std::vector<std::string> permutation{"permutation"};
  std::vector<std::string> tile{"CTA tile"};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t covered = e.atom.at(i) * e.atoms.at(i);
    atom.push_back(to_string(e.atom.at(i)));
    atoms.push_back(times(e.atoms.at(i), covered));
    permutation.push_back(times(e.permutation.at(i) / covered, e.permutation.at(i)));
    tile.push_back(times(e.tile.at(i) / e.permutation.at(i), e.tile.at(i)));
  }
  atom.push_back(to_string(e.atom_threads));
  atoms.push_back(times(e.threads / e.atom_threads, e.threads));
  permutation.push_back("as before");
  tile.push_back("as before");
  table.rows = {atom, atoms, permutation, tile};
  print_table(out, table, TableFormat::text);
  out << "The atom layout adds threads; permutation and tile give each thread more values.\n\n";
}

std::string or_dash(std::int64_t n) {
  return n == 0 ? "-" : to_string(n);
}

void counts_text(std::ostream& out, const Overview& o) {
  TextTable table{{"instructions", "of a warp, k-block", "of a warp, k-tile", "of the CTA, k-tile", "in all"}, {}};
  for (const trace::InstructionCount& c : o.counts) {
    const bool once = c.per_k_tile == 0;  // not once a k-tile
    table.rows.push_back({c.what, or_dash(c.per_k_block), or_dash(c.per_k_tile),
                          once ? "-" : to_string(c.cta_per_k_tile), once ? to_string(c.cta_per_k_tile) : "-"});
  }
  print_table(out, table, TableFormat::text);
  out << '\n';
}

void fragments_text(std::ostream& out, const Overview& o) {
  TextTable table{{"fragment", "values", "bits", "registers"}, {}};
  std::int64_t sum = 0;
  for (const trace::FragmentSize& f : o.fragments) {
    table.rows.push_back({f.name, to_string(f.values), to_string(f.bits), to_string(f.registers)});
    sum += f.registers;
  }
  table.rows.push_back({"together", "", "", to_string(sum)});
  print_table(out, table, TableFormat::text);
  out << "Capacity of a thread's whole fragments; what ptxas allocates depends on what is live at a time.\n";
}

// Where the CTA's tiles begin in the matrices.
void starts_text(std::ostream& out, const Overview& o) {
  std::string text;
  for (const trace::StageLayouts& stage : o.stages) {
    for (const trace::NamedLayout& t : stage.tensors) {
      if (t.memory == trace::Memory::global && t.division == trace::Division::none) {
        text += (text.empty() ? "" : ", ") + t.name + " at element " + to_string(t.start);
      }
    }
  }
  out << (text.empty() ? "" : "Its tiles start in their matrices: " + text + "\n");
}

}  // namespace

void stages_text(std::ostream& out, const std::vector<trace::StageLayouts>& stages) {
  std::size_t name = 0;
  std::size_t modes = 0;
  for (const trace::StageLayouts& stage : stages) {
    for (const trace::NamedLayout& t : stage.tensors) {
      name = std::max(name, t.name.size());
      modes = std::max(modes, t.modes.size());
    }
  }
  bool first = true;
  for (const trace::StageLayouts& stage : stages) {
    out << (first ? "" : "\n") << stage.step << (stage.atom.empty() ? "" : "   " + stage.atom) << '\n';
    first = false;
    for (const trace::NamedLayout& t : stage.tensors) {
      out << "  " << padded(t.name, name + 2) << padded(t.modes, modes + 2) << to_string(t.layout) << '\n';
    }
  }
}

std::string sizes_text(const Kernel& kernel) {
  std::string text;
  for (const auto& [name, value] : kernel.sizes) {
    text += (text.empty() ? "" : ", ") + name + " = " + to_string(value);
  }
  return text;
}

std::string cta_text(const Kernel& kernel, trace::CtaIndex cta) {
  if (cta == trace::CtaIndex{}) {
    return "";
  }
  const trace::Grid grid = grid_of(kernel);
  return " of CTA (" + to_string(cta.m) + "," + to_string(cta.n) + "), launched block " +
         to_string(launched_block(grid, cta)) + " of " + to_string(grid.ctas()) +
         (grid.band == 0 ? ", no raster" : ", raster of " + to_string(grid.band));
}

void overview_text(std::ostream& out, const Kernel& kernel, const Overview& o) {
  const auto& tile = kernel.config.tile;
  const bool first = o.cta == trace::CtaIndex{};
  out << (kernel.config.name.empty() ? "kernel" : kernel.config.name) << ": tile " << tile[0] << " x " << tile[1]
      << " x " << tile[2] << ", " << kernel.threads() << " threads, " << kernel.shared_bytes
      << " bytes of shared memory\n";
  out << "Layouts of thread " << o.thread << (first ? " of CTA (0,0)" : cta_text(kernel, o.cta))
      << (kernel.sizes.empty() ? "" : "; " + sizes_text(kernel)) << '\n';
  if (!first) {
    starts_text(out, o);
  }
  out << '\n';
  stages_text(out, o.stages);
  out << '\n';
  expansion_text(out, o.expansion);
  if (o.walk.steps.size() > 1) {
    walk_text(out, o.walk);
    out << '\n';
  }
  counts_text(out, o);
  fragments_text(out, o);
}

}  // namespace tileloom::render
