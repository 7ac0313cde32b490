// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "render/atom_table.hpp"
#include "render/check_text.hpp"

namespace tileloom::render {

using std::to_string;
using trace::LayoutCost;
using trace::SharedCost;
using trace::Suggestion;

namespace {

void add_cost(std::vector<std::string>& row, const std::optional<SharedCost>& c) {
  if (c) {
    row.insert(row.end(),
               {range_text(c->low, c->high), range_text(c->worst.low, c->worst.high), to_string(c->worst.ideal)});
  } else {
    row.insert(row.end(), 3, "-");
  }
}

std::vector<std::string> row_of(const std::string& what, const LayoutCost& cost, const std::string& bytes) {
  std::vector<std::string> row{what};
  add_cost(row, cost.write);
  add_cost(row, cost.read);
  row.push_back(bytes);
  return row;
}

std::string more(std::int64_t bytes) {
  return (bytes < 0 ? "" : "+") + to_string(bytes);
}

std::string quoted(const trace::Settings& settings) {
  std::string text;
  for (const auto& [field, value] : settings) {
    text += text.empty() ? "--set '" : " \\\n    --set '";
    text.append(field).append("=").append(value).append("'");
  }
  return text;
}

std::string one(const std::optional<SharedCost>& c) {
  return c ? range_text(c->worst.low, c->worst.high) + "/" + to_string(c->worst.ideal) : "-";
}

void bound_text(std::ostream& out, char operand, const trace::SourceBound& b) {
  out << "No layout brings the write of " << operand << " below " << b.worst << " wavefronts (ideal " << b.ideal
      << "): the instruction reads\n"
      << b.lines << " lines of global memory, rows of " << b.row_bytes << " bytes.\n";
}

void operand_text(std::ostream& out, const trace::Kernel& kernel, const trace::OperandSuggestions& o) {
  const char x = letter(o.operand);
  TextTable table{{std::string("smem.") + x, "write", "worst", "ideal", "read", "worst", "ideal", "shared B"}, {}};
  table.rows.push_back(row_of("now", o.now, to_string(kernel.shared_bytes)));
  std::vector<const Suggestion*> all;
  for (const Suggestion& s : o.best) {
    all.push_back(&s);
  }
  if (o.padding && !o.padding->settings.empty() &&
      std::ranges::none_of(o.best, [&](const Suggestion& s) { return s.what == o.padding->what; })) {
    all.push_back(&*o.padding);
  }
  for (const Suggestion* s : all) {
    table.rows.push_back(row_of(s->what, s->cost, more(s->shared_bytes - kernel.shared_bytes)));
  }
  out << '\n';
  print_table(out, table, TableFormat::text);
  const bool known = o.now.write || o.now.read;
  if (known && !o.best.empty() && o.best.front().cost.excess() >= o.now.excess()) {
    out << "None of " << o.searched << " swizzles and paddings costs less than now.\n";
  }
  if (o.bound) {
    bound_text(out, x, *o.bound);
  }
  for (const Suggestion* s : all) {
    out << "  " << s->what << ":\n    " << quoted(s->settings) << '\n';
  }
}

}  // namespace

void suggestions_text(std::ostream& out, const trace::Kernel& kernel, const trace::Suggestions& suggestions) {
  out << "\nSuggestions: wavefronts of all instructions of a CTA, and of the worst one, at both ends\n";
  if (suggestions.operands.empty()) {
    out << "none: the kernel copies nothing through shared memory\n";
  }
  for (const trace::OperandSuggestions& o : suggestions.operands) {
    operand_text(out, kernel, o);
  }
  if (suggestions.wider) {
    const trace::WiderTile& w = *suggestions.wider;
    out << "\nA " << w.suggestion.what << " has whole lines: A " << one(w.a.write) << " and " << one(w.a.read) << ", B "
        << one(w.b.write) << " and " << one(w.b.read) << " (write, read), "
        << more(w.suggestion.shared_bytes - kernel.shared_bytes) << " bytes\n    " << quoted(w.suggestion.settings)
        << '\n';
  }
}

}  // namespace tileloom::render
