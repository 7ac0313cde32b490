// SPDX-License-Identifier: Apache-2.0
#include "render/layout_text.hpp"

#include <algorithm>
#include <iomanip>

#include "tileloom/error.hpp"

namespace tileloom::render {

using layout::AnyLayout;
using layout::Int;
using layout::LayoutRef;
using layout::Tree;
using layout::TreeRef;

std::string plain_text(TreeRef tree) {
  std::string text = to_string(tree);
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

namespace {

constexpr std::size_t max_width = 100;

Tree number(std::int64_t v) {
  return Int::make_dynamic(v);
}

// A rectangle of texts with labels.
struct Grid {
  std::string corner;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::string> cells;  // row after row
};

void print_block(std::ostream& out, const Grid& g, std::size_t label, std::size_t cell, std::size_t first,
                 std::size_t last) {
  const auto pad = [&](const std::string& text, std::size_t width) {
    out << std::setw(static_cast<int>(width)) << std::right << text;
  };
  pad(g.corner, label);
  out << " |";
  for (std::size_t c = first; c < last; ++c) {
    pad(g.columns[c], cell + 1);
  }
  out << '\n' << std::string(label + 1, '-') << '+' << std::string((cell + 1) * (last - first), '-') << '\n';
  for (std::size_t r = 0; r < g.rows.size(); ++r) {
    pad(g.rows[r], label);
    out << " |";
    for (std::size_t c = first; c < last; ++c) {
      pad(g.cells[r * g.columns.size() + c], cell + 1);
    }
    out << '\n';
  }
}

void print(std::ostream& out, const Grid& g) {
  const auto widest = [](const std::vector<std::string>& texts, std::size_t least) {
    for (const std::string& t : texts) {
      least = std::max(least, t.size());
    }
    return least;
  };
  const std::size_t label = widest(g.rows, g.corner.size());
  const std::size_t cell = std::max(widest(g.columns, 1), widest(g.cells, 1));
  const std::size_t fit = std::max<std::size_t>(1, (max_width - std::min(max_width, label + 2)) / (cell + 1));
  for (std::size_t first = 0; first < g.columns.size(); first += fit) {
    if (first > 0) {
      out << '\n';
    }
    print_block(out, g, label, cell, first, std::min(g.columns.size(), first + fit));
  }
}

// The labels of a mode: its coordinates, nested as its shape is.
std::vector<std::string> labels(TreeRef shape) {
  std::vector<std::string> texts;
  const std::int64_t n = product(shape).value;
  for (std::int64_t i = 0; i < n; ++i) {
    texts.push_back(plain_text(idx2crd(number(i), shape)));
  }
  return texts;
}

void table_of_rank_1(std::ostream& out, const AnyLayout& l, std::int64_t n) {
  constexpr std::int64_t columns = 16;
  Grid g{"index", {}, {}, {}};
  for (std::int64_t c = 0; c < std::min(columns, n); ++c) {
    g.columns.push_back("+" + std::to_string(c));
  }
  for (std::int64_t r = 0; r < n; r += columns) {
    g.rows.push_back(std::to_string(r));
  }
  for (std::size_t i = 0; i < g.rows.size() * g.columns.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    g.cells.push_back(index < n ? plain_text(evaluate(l, number(index))) : "");
  }
  print(out, g);
}

void table_of_rank_2(std::ostream& out, const AnyLayout& l, const std::vector<std::int64_t>& above) {
  const TreeRef shape = domain(l).shape();
  Grid g{"offset", labels(shape[0]), labels(shape[1]), {}};
  for (std::size_t r = 0; r < g.rows.size(); ++r) {
    for (std::size_t c = 0; c < g.columns.size(); ++c) {
      layout::TreeBuilder coord;
      coord.open();
      coord.leaf(Int::make_dynamic(static_cast<std::int64_t>(r)));
      coord.leaf(Int::make_dynamic(static_cast<std::int64_t>(c)));
      for (const std::int64_t x : above) {
        coord.leaf(Int::make_dynamic(x));
      }
      coord.close();
      g.cells.push_back(plain_text(evaluate(l, coord.take())));
    }
  }
  print(out, g);
}

}  // namespace

void layout_table(std::ostream& out, const AnyLayout& l) {
  const layout::Layout& inner = domain(l);
  const std::int64_t n = size(inner).value;
  if (n > max_table_elements || n < 1) {
    throw Error(ErrorKind::bad_input,
                "table: " + to_string(l) + " has " + std::to_string(n) + " elements, expected 1 to " +
                    std::to_string(max_table_elements),
                "slice it first, for example slice((_,0), L)");
  }
  const std::size_t rank = inner.rank();
  if (rank == 1) {
    table_of_rank_1(out, l, n);
    return;
  }
  if (rank < 2 || rank > 4) {
    throw Error(ErrorKind::bad_input,
                "table: " + to_string(l) + " has rank " + std::to_string(rank) + ", expected 1 to 4",
                "group modes first, for example group(L, 2, " + std::to_string(rank) + ")");
  }
  const TreeRef shape = inner.shape();
  const std::int64_t n2 = rank > 2 ? product(shape[2]).value : 1;
  const std::int64_t n3 = rank > 3 ? product(shape[3]).value : 1;
  for (std::int64_t k = 0; k < n3; ++k) {
    for (std::int64_t j = 0; j < n2; ++j) {
      std::vector<std::int64_t> above;
      if (rank > 2) {
        above.push_back(j);
        out << (j + k > 0 ? "\n" : "") << "(_,_," << plain_text(idx2crd(number(j), shape[2]));
        if (rank > 3) {
          above.push_back(k);
          out << "," << plain_text(idx2crd(number(k), shape[3]));
        }
        out << ")\n";
      }
      table_of_rank_2(out, l, above);
    }
  }
}

void layout_steps(std::ostream& out, std::span<const layout::Step> steps, const std::string& result) {
  std::size_t i = 0;
  for (const layout::Step& s : steps) {
    out << std::setw(3) << ++i << "  " << s.what << "\n     = " << s.result << '\n';
  }
  out << "result\n     = " << result << '\n';
}

Properties layout_properties(const AnyLayout& l, const layout::Policy& policy) {
  const layout::Layout& inner = domain(l);
  Properties p = {{"rank", static_cast<std::int64_t>(inner.rank())},
                  {"depth", static_cast<std::int64_t>(depth(inner.shape()))},
                  {"size", size(inner).value},
                  {"coshape", plain_text(coshape(inner))},
                  {"cosize", cosize(inner).value}};
  if (has_basis(TreeRef(inner.stride()))) {
    return p;
  }
  p.emplace_back("injective", is_injective(inner));
  p.emplace_back("surjective", is_surjective(inner));
  p.emplace_back("bijective", is_bijective(inner));
  p.emplace_back("coalesced", to_string(layout::within(l, [](const layout::Layout& x) { return coalesce(x); })));
  p.emplace_back("alignment", max_alignment(l, policy).value);
  return p;
}

void properties_text(std::ostream& out, const Properties& properties) {
  for (const auto& [name, value] : properties) {
    out << std::left << std::setw(12) << name;
    if (const bool* yes = std::get_if<bool>(&value)) {
      out << (*yes ? "yes" : "no");
    } else {
      std::visit([&](const auto& x) { out << x; }, value);
    }
    out << (name == "alignment" ? " elements\n" : "\n");
  }
}

}  // namespace tileloom::render
