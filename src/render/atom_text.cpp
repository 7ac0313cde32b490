// SPDX-License-Identifier: Apache-2.0
#include "render/atom_text.hpp"

#include <algorithm>

#include "tileloom/layout/algebra.hpp"

namespace tileloom::render {

namespace {

using std::to_string;

constexpr std::size_t max_width = 100;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// `warp 1   lane 4   thread 36`
std::string holder_text(const AtomOperand& o, const AtomPlace& p, const char* gap) {
  if (o.threads == 1) return "";
  std::string lane = "lane " + to_string(p.lane);
  if (o.threads == 32) return lane;
  const std::string thread = "thread " + to_string(p.thread);
  return o.threads == 128 ? "warp " + to_string(p.warp) + gap + lane + gap + thread
                          : lane + gap + thread + " of quad pair " + to_string(p.group);
}

// --- Products ----------------------------------------------------------------------------------------------------

// One operand along K.
class Line {
 public:
  Line(const AtomOperand& operand, int row) : operand_(operand), row_(row) {
    if (operand.keeper == Keeper::registers) map_.emplace(map_of(operand));
  }

  // The register of element k; the operand itself where it is not in registers.
  [[nodiscard]] std::string holder(int k) const {
    if (!map_) return "shared memory";
    const AtomPlace p = find(operand_, *map_, row_, k);
    const std::string who = holder_text(operand_, p, "  ");
    return who + (who.empty() ? "" : "  ") + p.registers->name;
  }

  // The same, with bits where [first, last] is not all of the register.
  [[nodiscard]] std::string holder(int first, int last) const {
    if (!map_ || last - first + 1 == operand_.register_bits / operand_.value_bits) return holder(first);
    const int low = find(operand_, *map_, row_, first).registers->low;
    const int high = find(operand_, *map_, row_, last).registers->high;
    return holder(first) + "[" + to_string(high) + ":" + to_string(low) + "]";
  }

 private:
  const AtomOperand& operand_;
  int row_;
  std::optional<hw::LaneMap> map_;
};

// --- Registers ---------------------------------------------------------------------------------------------------

// The elements of values [first, last) of a thread: A(0,8) A(0,9), or A(0,0..7) where more than four are neighbours.
std::string elements_text(const AtomOperand& o, const hw::LaneMap& map, int thread, int first, int last) {
  const hw::MatrixPosition begin = map.at(thread, first);
  bool neighbours = last - first > 4;
  std::string all;
  for (int v = first; v < last; ++v) {
    const hw::MatrixPosition p = map.at(thread, v);
    neighbours = neighbours && p == hw::MatrixPosition{begin.row, begin.column + v - first};
    all += (v > first ? " " : "") + o.element(p.row, p.column);
  }
  if (!neighbours) return all;
  return o.letter + "(" + to_string(begin.row) + "," + to_string(begin.column) + ".." +
         to_string(begin.column + last - first - 1) + ")";
}

int values_per_cell(const AtomOperand& o) {
  return o.keeper == Keeper::registers ? std::max(1, o.register_bits / o.value_bits) : o.columns;
}

std::vector<std::string> register_cells(const AtomOperand& o, const hw::LaneMap& map, int thread) {
  std::vector<std::string> cells;
  const int per = values_per_cell(o);
  for (int v = 0; v < map.values(); v += per) {
    const int last = std::min(v + per, map.values());
    cells.push_back(o.register_letter + to_string(v / per) + "  " + elements_text(o, map, thread, v, last));
  }
  return cells;
}

void print_cells(std::ostream& out, const std::vector<std::string>& cells) {
  constexpr std::size_t gap = 5;
  std::size_t width = 0;
  for (const std::string& c : cells) width = std::max(width, c.size());
  const std::size_t fit = std::max<std::size_t>(1, (max_width + gap) / (width + gap));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size() || (i + 1) % fit == 0;
    out << (last ? cells[i] + "\n" : padded(cells[i], width + gap));
  }
}

void row_text(std::ostream& out, const AtomOperand& o, const hw::LaneMap& map, int lane) {
  if (lane >= address_lanes(o)) {
    out << "lane " << lane << " addresses no row: the instruction reads the addresses of lanes 0.."
        << address_lanes(o) - 1 << '\n';
    return;
  }
  const int row = map.at(lane, 0).row;
  out << "lane " << lane << " addresses row " << row % 8 << " of matrix " << row / 8 << "   "
      << elements_text(o, map, lane, 0, o.columns) << '\n';
}

std::string shape_text(const AtomOperand& o) {
  return to_string(o.rows) + "x" + to_string(o.columns);
}

std::string threads_text(int threads) {
  if (threads == 1) return "1";
  return to_string(threads) + (threads == 32 ? " (a warp)" : threads == 128 ? " (a warpgroup)" : " (a quad pair)");
}

void card_line(std::ostream& out, const char* name, const std::string& text) {
  out << padded(name, 10) << text << '\n';
}

void mma_card(std::ostream& out, const hw::MmaAtom& x) {
  card_line(out, "computes",
            "D(m,n) = C(m,n) + sum over k of A(m,k)*B(n,k)   M " + to_string(x.m) + "   N " + to_string(x.n) + "   K " +
                to_string(x.k));
}

void copy_card(std::ostream& out, const hw::CopyAtom& x) {
  if (x.kind == hw::CopyKind::automatic) {
    card_line(out, "copies",
              "as wide as both tensors allow, at most " +
                  x.name.substr(x.name.find('<') + 1, x.name.find('>') - x.name.find('<') - 1) + " bits");
    return;
  }
  const auto bits = layout::cosize(x.source_bits).value;
  const bool matrices = x.unit_bits == 16;
  card_line(out, "copies",
            to_string(bits / 8) + (bits == 8 ? " byte" : " bytes") +
                (matrices ? ": " + to_string(bits / 1024) + (bits == 1024 ? " matrix" : " matrices") +
                                " of 8 rows of 16 bytes, in units of 16 bits that stay together"
                          : ""));
  if (matrices) card_line(out, "addresses", "lane i gives that of row i, i = 0.." + to_string(bits / 128 - 1));
}

void cute_notes(std::ostream& out, const hw::MmaAtom& x) {
  const std::pair<const char*, const hw::MmaOperand*> operands[] = {{"A", &x.a}, {"B", &x.b}};
  for (const auto& [letter, o] : operands) {
    if (!o->cute_tv.empty()) {
      out << "note: CuTe has " << letter << " as " << o->cute_tv << ", which is wrong; the table has what PTX says\n";
    }
  }
}

std::string kept_in(const AtomOperand& o) {
  switch (o.keeper) {
    case Keeper::registers:
      return to_string(layout::size(layout::LayoutRef(o.tv)[1]).value * o.value_bits / o.register_bits) + " x " +
             to_string(o.register_bits) + " bits";
    case Keeper::descriptor:
      return "shared memory";
    case Keeper::row:
      return "row of a lane";
    case Keeper::bytes:
      return "bytes";
  }
  return {};
}

std::string packing(const AtomOperand& o) {
  return o.keeper == Keeper::registers ? to_string(o.register_bits / o.value_bits) : "";
}

void drop_column(TextTable& table, const std::string& head) {
  const auto at = std::ranges::find(table.head, head) - table.head.begin();
  table.head.erase(table.head.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

}  // namespace

std::string place_line(const AtomOperand& o, const AtomPlace& p) {
  const std::string who = holder_text(o, p, "   ");
  std::string line = o.element(p.row, p.column) + (who.empty() ? "" : "   " + who);
  if (o.keeper == Keeper::registers) line += "   value " + to_string(p.value);
  return line + "   " + p.where;
}

std::vector<ProductSource> product_sources(const hw::AnyAtom& atom, int row, int column) {
  const AtomOperand a = operand_of(atom, "A");
  const AtomOperand b = operand_of(atom, "B");
  const Line a_line(a, row);
  const Line b_line(b, column);
  std::vector<ProductSource> sources;
  for (int k = 0; k < a.columns;) {
    int end = k + 1;
    while (end < a.columns && a_line.holder(end) == a_line.holder(k) && b_line.holder(end) == b_line.holder(k)) ++end;
    sources.push_back({k, end - 1, a_line.holder(k, end - 1), b_line.holder(k, end - 1)});
    k = end;
  }
  return sources;
}

void product_text(std::ostream& out, const std::vector<ProductSource>& sources, int row, int column) {
  const std::string m = to_string(row);
  const std::string n = to_string(column);
  out << "= C(" << m << "," << n << ") + sum over k of A(" << m << ",k)*B(" << n << ",k)\n";
  TextTable table{{"    k", "A", "B"}, {}};
  for (const ProductSource& s : sources) {
    const std::string range = s.first_k == s.last_k ? "" : ".." + to_string(s.last_k);
    table.rows.push_back({"    " + to_string(s.first_k) + range, s.a, s.b});
  }
  print_table(out, table, TableFormat::text);
}

void formulas_text(std::ostream& out, const AtomOperand& o, const std::string& indent) {
  const auto f = formulas_of(o);
  if (!f) return;
  const std::string row = to_string(f->row);
  const std::string thread = f->every_thread ? "every " + thread_name(o) : to_string(f->thread);
  const std::size_t width = std::max(row.size(), thread.size()) + 6;
  out << indent << padded(row, width) << to_string(f->column) << '\n'
      << std::string(indent.size(), ' ') << padded(thread, width) << to_string(f->value) << '\n';
}

void holdings_text(std::ostream& out, const AtomOperand& o, const hw::LaneMap& map, int thread) {
  if (o.keeper == Keeper::row) {
    row_text(out, o, map, thread);
  } else if (o.keeper == Keeper::bytes) {
    out << elements_text(o, map, thread, 0, map.values()) << '\n';
  } else {
    print_cells(out, register_cells(o, map, thread));
  }
  formulas_text(out, o, "");
  if (const std::string rule = thread_rule(o); !rule.empty()) out << rule << '\n';
}

std::string needs(const hw::AnyAtom& atom) {
  const hw::Arch arch = atom.mma != nullptr ? atom.mma->arch : atom.copy->arch;
  const bool only = atom.mma != nullptr && atom.mma->one_arch_only();
  return to_string(arch) + (only ? "a, no other" : " or later");
}

void atom_card(std::ostream& out, const hw::AnyAtom& atom) {
  const bool mma = atom.mma != nullptr;
  const std::string& ptx = mma ? atom.mma->ptx : atom.copy->ptx;
  out << (mma ? atom.mma->name : atom.copy->name) << '\n';
  card_line(out, "ptx", ptx.empty() ? "what the compiler chooses" : ptx);
  mma ? mma_card(out, *atom.mma) : copy_card(out, *atom.copy);
  card_line(out, "needs", needs(atom));
  const int threads = mma ? atom.mma->threads : atom.copy->threads;
  card_line(out, "threads",
            threads_text(threads) + "   " + to_string(mma ? atom.mma->thread_id : atom.copy->thread_id));
  card_line(out, "PTX ISA", mma ? atom.mma->source : atom.copy->source);
  if (!mma) {
    card_line(out, "source", to_string(atom.copy->source_bits) + "   (thread, bit) -> bit");
    card_line(out, "dest.", to_string(atom.copy->destination_bits));
    card_line(out, "reference", to_string(atom.copy->reference_bits));
    if (atom.copy->kind == hw::CopyKind::automatic) return;
  }
  out << '\n';
  TextTable operands = operands_table(atom);
  drop_column(operands, "per register");  // follows, and the line would be too long
  print_table(out, operands, TableFormat::text);
  if (mma) cute_notes(out, *atom.mma);
  if (threads == 1) return;
  out << '\n';
  for (const AtomOperand& o : operands_of(atom)) {
    if (mma && o.letter == "D") continue;  // as C
    formulas_text(out, o, padded(mma && o.letter == "C" ? "C, D" : o.letter, 6));
  }
  const std::string rule = thread_rule(operands_of(atom).front());
  if (!rule.empty()) out << std::string(6, ' ') << rule << '\n';
}

TextTable places_table(const AtomOperand& o, std::span<const AtomPlace> places) {
  const char* where = o.keeper == Keeper::registers ? "register" : "where";
  TextTable table{{"operand", o.row_name, o.column_name, "warp", "lane", "thread", "value", where, "bits"}, {}};
  for (const AtomPlace& p : places) {
    const auto bits = p.registers ? to_string(p.registers->high) + ":" + to_string(p.registers->low) : std::string();
    table.rows.push_back({o.letter, to_string(p.row), to_string(p.column), to_string(p.warp), to_string(p.lane),
                          to_string(p.thread), to_string(p.value), p.registers ? p.registers->name : p.where, bits});
  }
  return table;
}

TextTable operands_table(const hw::AnyAtom& atom) {
  TextTable table{{"operand", "type", "shape", "values", "held in", "per register", "TV layout"}, {}};
  if (atom.copy != nullptr && atom.copy->kind == hw::CopyKind::automatic) return table;
  for (const AtomOperand& o : operands_of(atom)) {
    table.rows.push_back({o.letter, o.type, shape_text(o), to_string(layout::size(layout::LayoutRef(o.tv)[1]).value),
                          kept_in(o), packing(o), to_string(o.tv)});
  }
  return table;
}

TextTable matrix_table(const AtomOperand& o, const hw::LaneMap& map) {
  TextTable table{{o.row_name + "\\" + o.column_name}, {}};
  for (int c = 0; c < o.columns; ++c) table.head.push_back(to_string(c));
  for (int r = 0; r < o.rows; ++r) {
    std::vector<std::string> row{to_string(r)};
    for (int c = 0; c < o.columns; ++c) {
      const hw::Holding h = map.holders({r, c}).front();
      row.push_back(to_string(o.thread_id(h.thread)) + ":" + to_string(h.value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable thread_table(const AtomOperand& o, const hw::LaneMap& map) {
  TextTable table{{o.threads == 128 ? "thread" : "lane"}, {}};
  const int per = values_per_cell(o);
  for (int v = 0; v < map.values(); v += per) {
    table.head.push_back(o.keeper == Keeper::registers ? o.register_letter + to_string(v / per) : "elements");
  }
  const int threads = o.keeper == Keeper::row ? address_lanes(o) : o.threads;
  for (int t = 0; t < threads; ++t) {
    std::vector<std::string> row{to_string(o.thread_id(t))};
    for (int v = 0; v < map.values(); v += per) {
      row.push_back(elements_text(o, map, t, v, std::min(v + per, map.values())));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tileloom::render
