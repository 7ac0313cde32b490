// SPDX-License-Identifier: Apache-2.0
#include "render/atom_text.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::render {

namespace {

using std::to_string;

// The shortest name that is one entry's: CuTe's defaults left out.
std::string short_name(const hw::MmaAtom& x) {
  const std::size_t open = x.name.find('<');
  if (open == std::string::npos) return x.name;
  const std::string d = x.name.substr(open + 1, x.name.find(',') - open - 1);
  const std::string a = x.name.substr(open + 2 + d.size(), x.name.find(',', open + 2 + d.size()) - open - 2 - d.size());
  return x.name.substr(0, open + 1) + d + (a == d ? "" : "," + a) + ">";
}

// wgmma's without N, what comes before it and what comes after.
struct NameParts {
  std::string before, after;
  bool operator==(const NameParts&) const = default;
};
NameParts without_n(const hw::MmaAtom& x) {
  const std::size_t at = x.name.find('x') + 1;
  return {x.name.substr(0, at), x.name.substr(x.name.find('x', at))};
}

std::string bytes_text(const hw::CopyAtom& x) {
  return x.kind == hw::CopyKind::automatic ? "any" : to_string(layout::cosize(x.source_bits).value / 8);
}

std::string types_text(const hw::MmaAtom& x) {
  std::string text;
  for (const hw::MmaOperand* o : {&x.d, &x.a, &x.b, &x.c}) {
    text += (text.empty() ? "" : ".") + std::string(hw::name(o->type));
  }
  return text;
}

std::string registers_text(const hw::MmaAtom& x) {
  return to_string(x.d.registers) + " " + to_string(x.a.registers) + " " + to_string(x.b.registers) + " " +
         to_string(x.c.registers);
}

}  // namespace

TextTable short_list(std::span<const hw::MmaAtom* const> mma) {
  TextTable table{{"name", "ptx"}, {}};
  for (std::size_t i = 0; i < mma.size();) {
    const hw::MmaAtom& first = *mma[i];
    std::size_t end = i + 1;
    if (first.threads != 128) {
      table.rows.push_back({short_name(first), first.ptx});
    } else {
      const NameParts parts = without_n(first);
      while (end < mma.size() && without_n(*mma[end]) == parts) ++end;
      std::string ptx = first.ptx;
      const std::string n = "n" + to_string(first.n) + "k";
      ptx.replace(ptx.find(n), n.size(), "nNk");
      table.rows.push_back({parts.before + to_string(first.n) + ".." + to_string(mma[end - 1]->n) + parts.after, ptx});
    }
    i = end;
  }
  return table;
}

TextTable short_list(std::span<const hw::CopyAtom* const> copies) {
  TextTable table{{"name", "bytes", "ptx"}, {}};
  for (const hw::CopyAtom* x : copies) table.rows.push_back({x->name, bytes_text(*x), x->ptx});
  return table;
}

TextTable full_list(std::span<const hw::MmaAtom* const> mma, std::span<const hw::CopyAtom* const> copies) {
  TextTable table{
      {"kind", "name", "M", "N", "K", "types D.A.B.C", "registers D A B C", "bytes", "needs", "threads", "ptx"}, {}};
  for (const hw::MmaAtom* x : mma) {
    table.rows.push_back({"mma", x->name, to_string(x->m), to_string(x->n), to_string(x->k), types_text(*x),
                          registers_text(*x), "", needs({x, nullptr}), to_string(x->threads), x->ptx});
  }
  for (const hw::CopyAtom* x : copies) {
    table.rows.push_back(
        {"copy", x->name, "", "", "", "", "", bytes_text(*x), needs({nullptr, x}), to_string(x->threads), x->ptx});
  }
  return table;
}

}  // namespace tileloom::render
