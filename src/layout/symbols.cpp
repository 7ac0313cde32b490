// SPDX-License-Identifier: Apache-2.0
#include "tileloom/layout/symbols.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "layout/parser.hpp"

namespace tileloom::layout {

namespace {

struct Parsed {
  Value value;
  std::vector<Symbol> leaves;
};

Parsed read(std::string_view text) {
  const Policy policy;
  SymbolScope scope;
  Value value = Parser(text, policy, false, &scope).parse();
  return {std::move(value), std::move(scope.leaves)};
}

void put(std::string& out, TreeRef t, const std::vector<Symbol>& symbols, std::size_t& leaf) {
  if (t.is_leaf()) {
    const Symbol& s = symbols[leaf++];
    out += s.name.empty() ? to_string(t) : s.name;
    if (s.divisor != 1) {
      out += "{div=" + std::to_string(s.divisor) + "}";
    }
    return;
  }
  out += '(';
  for (std::size_t i = 0; i < t.rank(); ++i) {
    out += i == 0 ? "" : ",";
    put(out, t[i], symbols, leaf);
  }
  out += ')';
}

void collect(const SymbolicTree& tree, std::vector<Symbol>& all) {
  for (const Symbol& s : tree.symbols()) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const Symbol& x) { return x.name == s.name; });
    if (s.name.empty()) {
      continue;
    }
    if (known == all.end()) {
      all.push_back(s);
    } else {
      known->divisor = checked_mul(known->divisor / std::gcd(known->divisor, s.divisor), s.divisor);
    }
  }
}

// A size or stride: a number, or a symbol and what divides it.
struct Number {
  std::string symbol;  // empty: a number
  std::int64_t value;  // or the divisor

  [[nodiscard]] bool is(std::int64_t v) const { return symbol.empty() && value == v; }
  friend bool operator==(const Number&, const Number&) = default;
};

std::vector<Number> numbers(const SymbolicTree& tree, const std::vector<Symbol>& symbols) {
  std::vector<Number> all;
  std::size_t leaf = 0;
  const TreeRef t(tree.profile());
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p) {
    if (p->is_tuple()) {
      continue;
    }
    const std::string& name = tree.symbols()[leaf++].name;
    if (name.empty()) {
      all.push_back({{}, abs(*p).value});
      continue;
    }
    const auto s = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& x) { return x.name == name; });
    all.push_back({name, s->divisor});
  }
  return all;
}

}  // namespace

SymbolicTree parse_symbolic_tree(std::string_view text) {
  Parsed p = read(text);
  if (auto* t = std::get_if<Tree>(&p.value)) {
    return {std::move(*t), std::move(p.leaves)};
  }
  fail("'" + std::string(text) + "' is " + kind_of(p.value) + ", expected an integer, a symbol or a tuple");
}

SymbolicLayout parse_symbolic_layout(std::string_view text) {
  Parsed p = read(text);
  const auto* l = std::get_if<Layout>(&p.value);
  if (l == nullptr) {
    fail("'" + std::string(text) + "' is " + kind_of(p.value) + ", expected a layout, shape:stride");
  }
  const auto half = p.leaves.begin() + static_cast<std::ptrdiff_t>(leaf_count(l->shape()));
  return {{l->shape(), {p.leaves.begin(), half}}, {l->stride(), {half, p.leaves.end()}}};
}

Result<SymbolicLayout> try_parse_symbolic_layout(std::string_view text) {
  try {
    return parse_symbolic_layout(text);
  } catch (const Error& e) {
    return e;
  }
}

std::string to_string(const SymbolicTree& tree) {
  std::string out;
  std::size_t leaf = 0;
  put(out, tree.profile(), tree.symbols(), leaf);
  return out;
}

std::string to_string(const SymbolicLayout& layout) {
  return to_string(layout.shape) + ":" + to_string(layout.stride);
}

std::vector<Symbol> symbols_of(const SymbolicLayout& layout) {
  std::vector<Symbol> all;
  collect(layout.shape, all);
  collect(layout.stride, all);
  return all;
}

Divisibility divisibility(const SymbolicLayout& layout) {
  const std::vector<Symbol> symbols = symbols_of(layout);
  Divisibility d;
  for (const Number& n : numbers(layout.shape, symbols)) {
    d.shape.push_back(n.value);
  }
  for (const Number& n : numbers(layout.stride, symbols)) {
    d.stride.push_back(n.value);
  }
  return d;
}

std::int64_t max_alignment(const SymbolicLayout& layout) {
  if (has_basis(layout.stride.profile())) {
    fail("max_alignment: " + to_string(layout) + " has basis strides, expected integers");
  }
  const std::vector<Symbol> symbols = symbols_of(layout);
  const std::vector<Number> sizes = numbers(layout.shape, symbols);
  const std::vector<Number> strides = numbers(layout.stride, symbols);
  std::vector<bool> done(sizes.size());
  // The run of consecutive offsets grows by a mode whose stride is its extent, as long as that is known.
  std::optional<Number> extent = Number{{}, 1};
  std::int64_t alignment = 1;
  for (std::size_t i = 0; extent && i < sizes.size();) {
    if (done[i] || sizes[i].is(1) || strides[i] != *extent) {
      done[i] = done[i] || sizes[i].is(1);
      ++i;
      continue;
    }
    alignment = checked_mul(alignment, sizes[i].value);
    if (extent->is(1)) {
      extent = sizes[i];
    } else if (extent->symbol.empty() && sizes[i].symbol.empty()) {
      extent->value = checked_mul(extent->value, sizes[i].value);
    } else {
      extent = std::nullopt;
    }
    done[i] = true;
    i = 0;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!done[i] && !sizes[i].is(1)) {
      alignment = std::gcd(alignment, strides[i].value);
    }
  }
  return alignment;
}

Tree substitute(const SymbolicTree& tree, const SymbolValues& values) {
  return std::get<Tree>(substitute(to_string(tree), values));
}
Layout substitute(const SymbolicLayout& layout, const SymbolValues& values) {
  return std::get<Layout>(substitute(to_string(layout), values));
}

Value substitute(std::string_view text, const SymbolValues& values, const Policy& policy) {
  SymbolScope scope{&values, {}};
  return Parser(text, policy, true, &scope).parse();
}

Result<Value> try_substitute(std::string_view text, const SymbolValues& values, const Policy& policy) {
  try {
    return substitute(text, values, policy);
  } catch (const Error& e) {
    return e;
  }
}

}  // namespace tileloom::layout
