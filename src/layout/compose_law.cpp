// SPDX-License-Identifier: Apache-2.0
// The law of composition, R(c) = A(B(c)): checking it, and finding R from the values of A o B.
//
// A o B has a layout on a refinement of B's shape exactly if (1) along each leaf of B the values are those of some
// layout of that leaf's size, and (2) the values add up over the leaves. A one-dimensional function has at most one
// coalesced layout: its first run fixes the first mode, and so on. Both parts are settled by divisibility where
// possible and by visiting every coordinate otherwise.
#include <algorithm>
#include <array>
#include <vector>

#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

// Size and stride of a mode of the values along one leaf of B, found by `generator`, the leaf index of its stride.
struct Piece {
  std::int64_t size;
  std::int64_t stride;
  std::int64_t generator;
};
using Pieces = SmallVector<Piece, 8>;

struct Leaf {
  std::int64_t size;
  std::int64_t step;
  std::size_t part;  // index into Problem::parts
};

// A o B, B's leaves in order. Without basis strides there is one part, A itself; a basis stride selects a mode of A.
struct Problem {
  std::vector<FlatMap> parts;
  SmallVector<Leaf, 16> leaves;
};

using Digits = SmallVector<std::int64_t, 16>;  // largest digit used in each mode of a part but the last

void push_piece(Pieces& pieces, const Piece& p) {
  if (p.size == 1) {
    return;
  }
  if (!pieces.empty() && checked_mul(pieces.back().size, pieces.back().stride) == p.stride) {
    pieces.back().size = checked_mul(pieces.back().size, p.size);
  } else {
    pieces.push_back(p);
  }
}

bool same_function(const Pieces& a, const Pieces& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Piece& x, const Piece& y) {
           return x.size == y.size && x.stride == y.stride;
         });
}

// The values along a leaf where divisibility settles them. Adds to `digits` what the leaf uses of each mode.
bool pieces_by_division(const FlatMap& a, const Leaf& leaf, Pieces& pieces, Digits& digits) {
  if (leaf.step < 0) {
    return false;
  }
  if (leaf.step == 0) {
    push_piece(pieces, {leaf.size, 0, 1});
    return true;
  }
  std::int64_t rest = leaf.size;
  std::int64_t step = leaf.step;
  std::int64_t generator = 1;
  const Modes& modes = a.modes();
  for (std::size_t k = 0; k + 1 < modes.size() && rest > 1; ++k) {
    const std::int64_t size = modes[k].shape.value;
    if (step >= size) {
      if (step % size != 0) {
        return false;
      }
      step /= size;
      continue;
    }
    const std::int64_t stride = checked_mul(step, modes[k].stride.value);
    if (rest - 1 <= (size - 1) / step) {
      push_piece(pieces, {rest, stride, generator});
      digits[k] = checked_add(digits[k], (rest - 1) * step);
      return true;
    }
    const std::int64_t fits = size / step;
    if (size % step != 0 || rest % fits != 0) {
      return false;
    }
    push_piece(pieces, {fits, stride, generator});
    digits[k] = checked_add(digits[k], size - step);
    generator *= fits;
    rest /= fits;
    step = 1;
  }
  if (rest > 1) {
    push_piece(pieces, {rest, checked_mul(step, modes.back().stride.value), generator});
  }
  return true;
}

// Why the values along a leaf are those of no layout: at `index` they are not what `fixed_by` implies.
struct Contradiction {
  std::int64_t index = 0;
  std::int64_t given = 0;
  std::vector<std::int64_t> fixed_by;
};

// The one coalesced layout with f's values on 0..n-1, or the first index where there can be none.
template <class F>
std::optional<Contradiction> pieces_by_values(const F& f, std::int64_t n, Pieces& pieces) {
  std::optional<Contradiction> first;
  const auto report = [&](Contradiction c) {
    if (!first || c.index < first->index) {
      first = std::move(c);
    }
  };
  for (std::int64_t m = 1; n > 1;) {
    const std::int64_t stride = f(m);
    std::int64_t run = 2;
    while (run < n && f(run * m) == checked_mul(run, stride)) {
      ++run;
    }
    if (n % run != 0) {
      push_piece(pieces, {run, stride, m});  // what holds before the contradiction
      report({run * m, checked_mul(run, stride), {m}});
      return first;
    }
    for (std::int64_t q = 1; q < n / run; ++q) {
      const std::int64_t base = f(q * run * m);
      for (std::int64_t r = 1; r < run; ++r) {
        const std::int64_t want = checked_add(base, checked_mul(r, stride));
        if (f((q * run + r) * m) != want) {
          report({(q * run + r) * m, want, {m, q * run * m}});
          q = n;
          break;
        }
      }
    }
    push_piece(pieces, {run, stride, m});
    m *= run;
    n /= run;
  }
  return first;
}

void check_enumerable(std::int64_t n, LayoutRef a, LayoutRef b) {
  if (n > enumeration_limit) {
    fail("composition: " + to_string(a) + " with " + to_string(b) + " has " + std::to_string(n) +
             " elements, more than can be checked one by one (" + std::to_string(enumeration_limit) + ")",
         "use --cute to get CuTe's answer without a check");
  }
}

// Do the values of part `p` add up over its leaves? `digits` are the largest digits the leaves use together, exact
// unless `by_digits` is false.
template <class Visit>
bool additive(const Problem& problem, std::size_t p, const Digits& digits, bool by_digits,
              const std::vector<Pieces>& pieces, LayoutRef a, LayoutRef b, const Visit& visit) {
  const FlatMap& map = problem.parts[p];
  if (by_digits) {
    bool no_carry = true;
    for (std::size_t k = 0; k + 1 < map.modes().size(); ++k) {
      no_carry = no_carry && digits[k] < map.modes()[k].shape.value;
    }
    if (no_carry) {
      return true;
    }
  }
  std::vector<std::size_t> leaves;
  std::vector<std::vector<std::int64_t>> tables;
  std::int64_t n = 1;
  for (std::size_t j = 0; j < problem.leaves.size(); ++j) {
    if (problem.leaves[j].part == p && problem.leaves[j].size > 1) {
      n = checked_mul(n, problem.leaves[j].size);
      check_enumerable(n, a, b);
      leaves.push_back(j);
    }
  }
  if (leaves.size() < 2) {
    return true;
  }
  for (const std::size_t j : leaves) {
    std::vector<std::int64_t> table;
    for (std::int64_t i = 0; i < problem.leaves[j].size; ++i) {
      std::int64_t rest = i;
      std::int64_t value = 0;
      for (const Piece& piece : pieces[j]) {
        value = checked_add(value, checked_mul(rest % piece.size, piece.stride));
        rest /= piece.size;
      }
      table.push_back(value);
    }
    tables.push_back(std::move(table));
  }
  std::vector<std::int64_t> c(leaves.size(), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t x = 0;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      x = checked_add(x, checked_mul(c[k], problem.leaves[leaves[k]].step));
      sum = checked_add(sum, tables[k][static_cast<std::size_t>(c[k])]);
    }
    if (map(x) != sum && visit(leaves, c, x, sum)) {
      return false;
    }
    for (std::size_t k = 0; k < c.size() && ++c[k] == problem.leaves[leaves[k]].size; ++k) {
      c[k] = 0;
    }
  }
  return true;
}

// --- Setting up --------------------------------------------------------------------------------------------------

// The modes of `l` with the strides along `basis` only, or all of them if `basis` is plain.
Modes projected(LayoutRef l, const Int& basis) {
  Modes modes;
  for_each_mode(l, [&](const Int& s, const Int& d) {
    modes.push_back({s, d.same_basis(basis) ? d.scalar() : static_0});
  });
  return modes;
}

FlatMap extended_map(const Modes& modes) {
  return FlatMap(Engine(true).coalesced(modes, true));
}

Problem make_problem(LayoutRef a, LayoutRef b, const Int& basis) {
  Problem problem;
  std::vector<Int> paths;
  for_each_mode(b, [&](const Int& s, const Int& d) {
    std::size_t part = 0;
    while (part < paths.size() && !paths[part].same_basis(d)) {
      ++part;
    }
    if (d.value == 0 && !paths.empty()) {
      part = 0;
    }
    if (part == paths.size()) {
      LayoutRef selected = a;
      for (std::size_t i = 0; i < d.basis_depth; ++i) {
        selected = selected[d.basis[i]];
      }
      paths.push_back(d);
      problem.parts.push_back(extended_map(projected(selected, basis)));
    }
    problem.leaves.push_back({s.value, d.value, part});
  });
  return problem;
}

// The modes of R at each leaf of B; false if R does not refine B's shape.
bool collect_pieces(TreeRef b_shape, LayoutRef r, const Int& basis, std::vector<Pieces>& out) {
  if (b_shape.is_leaf()) {
    Pieces pieces;
    std::int64_t n = 1;
    for (const Mode& m : projected(r, basis)) {
      push_piece(pieces, {m.shape.value, m.stride.value, 0});
      n = checked_mul(n, m.shape.value);
    }
    out.push_back(pieces);
    return n == b_shape.leaf().value;
  }
  if (r.shape.is_leaf() || r.rank() != b_shape.rank()) {
    return false;
  }
  for (std::size_t i = 0; i < b_shape.rank(); ++i) {
    if (!collect_pieces(b_shape[i], r[i], basis, out)) {
      return false;
    }
  }
  return true;
}

Digits no_digits(const FlatMap& map) {
  Digits digits;
  for (std::size_t k = 0; k < map.modes().size(); ++k) {
    digits.push_back(0);
  }
  return digits;
}

// Does the law hold for the strides along one basis of A?
bool projection_holds(LayoutRef a, LayoutRef b, LayoutRef r, const Int& basis) {
  std::vector<Pieces> have;
  if (!collect_pieces(b.shape, r, basis, have)) {
    return false;
  }
  const Problem problem = make_problem(a, b, basis);
  for (std::size_t p = 0; p < problem.parts.size(); ++p) {
    const FlatMap& map = problem.parts[p];
    Digits digits = no_digits(map);
    bool by_digits = true;
    for (std::size_t j = 0; j < problem.leaves.size(); ++j) {
      const Leaf& leaf = problem.leaves[j];
      if (leaf.part != p) {
        continue;
      }
      Pieces pieces;
      if (!pieces_by_division(map, leaf, pieces, digits)) {
        by_digits = false;
        pieces.clear();
        check_enumerable(leaf.size, a, b);
        if (pieces_by_values([&](std::int64_t i) { return map(checked_mul(i, leaf.step)); }, leaf.size, pieces)) {
          return false;
        }
      }
      if (!same_function(pieces, have[j])) {
        return false;
      }
    }
    if (!additive(problem, p, digits, by_digits, have, a, b, [](auto&&...) { return true; })) {
      return false;
    }
  }
  return true;
}

// --- Saying why not ----------------------------------------------------------------------------------------------

std::string ordinal(std::size_t i) {
  static constexpr std::array<const char*, 4> names = {"first", "second", "third", "fourth"};
  return i < names.size() ? names[i] : "number " + std::to_string(i + 1);
}

// Where adding `step` to `from` carries out of a mode of A.
std::string crossing(LayoutRef a, std::int64_t from, std::int64_t step) {
  const Modes modes = flat_modes(a);
  for (std::size_t k = 0; k + 1 < modes.size(); ++k) {
    const std::int64_t size = modes[k].shape.value;
    if (from % size + step % size >= size) {
      return " across the boundary of A's " + ordinal(k) + " mode (" + std::to_string(size) + ")";
    }
    from /= size;
    step /= size;
  }
  return "";
}

// Where the values contradict, in 1-D coordinates of B, and which part of the problem they belong to.
struct Refusal {
  std::int64_t at;
  std::int64_t given;
  std::vector<std::int64_t> fixed_by;
  std::size_t part;
};

[[noreturn]] void refuse(LayoutRef a, LayoutRef b, const Problem& problem, const Refusal& refusal,
                         const std::string& cute_says) {
  const auto& [at, given, fixed_by, part] = refusal;
  std::int64_t x = 0;
  std::int64_t rest = at;
  std::size_t last = 0;
  for (std::size_t j = 0; j < problem.leaves.size(); ++j) {
    const std::int64_t c = rest % problem.leaves[j].size;
    rest /= problem.leaves[j].size;
    if (problem.leaves[j].part == part) {
      x = checked_add(x, checked_mul(c, problem.leaves[j].step));
      last = c != 0 ? j : last;
    }
  }
  std::string fixed;
  for (std::size_t i = 0; i < fixed_by.size(); ++i) {
    fixed += (i == 0 ? "" : i + 1 == fixed_by.size() ? " and " : ", ") + coordinate_text(b.shape, fixed_by[i]);
  }
  std::string shape = to_string(b.shape);
  shape.erase(std::remove(shape.begin(), shape.end(), '_'), shape.end());
  const bool one = fixed_by.size() == 1;
  const std::int64_t step = problem.leaves[last].step;
  const std::string who = problem.leaves.size() == 1 ? "B" : "mode " + std::to_string(last) + " of B";
  const std::string which = problem.parts.size() == 1 ? "A" : "A's part " + std::to_string(part);
  fail("composition: no layout on shape " + shape + " equals A o B: at " + coordinate_text(b.shape, at) + " it needs " +
           which + "(" + std::to_string(x) + ") = " + std::to_string(problem.parts[part](x)) + ", but the stride" +
           (one ? "" : "s") + " fixed by " + fixed + " give" + (one ? "s " : " ") + std::to_string(given),
       who + " steps by " + std::to_string(step) + " from offset " + std::to_string(x - step) +
           (has_basis(b.stride) ? "" : crossing(a, x - step, step)) + "; " + cute_says);
}

void build(TreeRef b_shape, const std::vector<Modes>& leaves, std::size_t& leaf, LayoutBuilder& out) {
  if (b_shape.is_tuple()) {
    out.open();
    for (const TreeRef s : b_shape) {
      build(s, leaves, leaf, out);
    }
    out.close();
    return;
  }
  const Modes& modes = leaves[leaf++];
  if (modes.empty()) {
    out.mode(b_shape.leaf(), static_0);
    return;
  }
  if (modes.size() > 1) {
    out.open();
  }
  for (const Mode& m : modes) {
    out.mode(m.shape, m.stride);
  }
  if (modes.size() > 1) {
    out.close();
  }
}

// The bases of A's strides, plain integers being one.
std::vector<Int> bases_of(LayoutRef a) {
  std::vector<Int> bases;
  for_each_mode(a, [&](const Int&, const Int& d) {
    if (std::none_of(bases.begin(), bases.end(), [&](const Int& x) { return x.same_basis(d); })) {
      bases.push_back(d);
    }
  });
  return bases;
}

// The values along each leaf of B for the strides along one basis of A, or an Error where they are not a layout's.
std::vector<Pieces> solve_projection(LayoutRef a, LayoutRef b, const Int& basis, const std::string& cute_says) {
  const Problem problem = make_problem(a, b, basis);
  std::vector<Pieces> pieces(problem.leaves.size());
  std::optional<Refusal> first;
  std::vector<std::int64_t> unit;
  std::int64_t before = 1;
  for (std::size_t j = 0; j < problem.leaves.size(); ++j) {
    const Leaf& leaf = problem.leaves[j];
    const FlatMap& map = problem.parts[leaf.part];
    unit.push_back(before);
    Digits unused = no_digits(map);
    if (!pieces_by_division(map, leaf, pieces[j], unused)) {
      pieces[j].clear();
      check_enumerable(leaf.size, a, b);
      const auto value = [&](std::int64_t i) { return map(checked_mul(i, leaf.step)); };
      if (auto bad = pieces_by_values(value, leaf.size, pieces[j])) {
        for (std::int64_t& g : bad->fixed_by) {
          g *= before;
        }
        if (!first || bad->index * before < first->at) {
          first = Refusal{bad->index * before, bad->given, bad->fixed_by, leaf.part};
        }
      }
    }
    before = checked_mul(before, leaf.size);
  }
  for (std::size_t p = 0; p < problem.parts.size() && (!first || before <= enumeration_limit); ++p) {
    const auto visit = [&](const std::vector<std::size_t>& leaves, const std::vector<std::int64_t>& c, std::int64_t,
                           std::int64_t sum) {
      Refusal r{0, sum, {}, p};
      for (std::size_t k = 0; k < leaves.size(); ++k) {
        r.at += c[k] * unit[leaves[k]];
        std::int64_t rest = c[k];
        for (const Piece& piece : pieces[leaves[k]]) {
          if (rest % piece.size != 0) {
            r.fixed_by.push_back(piece.generator * unit[leaves[k]]);
          }
          rest /= piece.size;
        }
      }
      if (!first || r.at < first->at) {
        first = r;
      }
      return true;
    };
    (void)additive(problem, p, {}, false, pieces, a, b, visit);
  }
  if (first) {
    refuse(a, b, problem, *first, cute_says);
  }
  return pieces;
}

// One mode for each piece of the common refinement of the pieces along each basis; none if the sizes have no common
// refinement or a piece moves along two bases, for which a layout has no stride.
std::optional<Modes> merge(const std::vector<const Pieces*>& along, const std::vector<Int>& bases, NodeKind kind) {
  std::vector<std::int64_t> bounds{1};
  for (const Pieces* pieces : along) {
    std::int64_t reached = 1;
    for (const Piece& p : *pieces) {
      bounds.push_back(reached *= p.size);
    }
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  Modes modes;
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    if (bounds[i] % bounds[i - 1] != 0) {
      return std::nullopt;
    }
    Int stride = static_0;
    for (std::size_t k = 0; k < along.size(); ++k) {
      std::int64_t reached = 1;
      std::int64_t step = 0;
      for (const Piece& p : *along[k]) {
        if (reached <= bounds[i - 1] && bounds[i - 1] < reached * p.size) {
          step = checked_mul(p.stride, bounds[i - 1] / reached);
        }
        reached *= p.size;
      }
      if (step != 0) {
        if (stride.value != 0) {
          return std::nullopt;
        }
        stride = {step, kind, bases[k].basis_depth, 0, bases[k].basis};
      } else if (along.size() == 1) {
        stride = {0, kind, 0, 0, {}};
      }
    }
    modes.push_back({{bounds[i] / bounds[i - 1], kind, 0, 0, {}}, stride});
  }
  return modes;
}

}  // namespace

bool composition_holds(LayoutRef a, LayoutRef b, LayoutRef r) {
  const std::vector<Int> bases = bases_of(a);
  return std::all_of(bases.begin(), bases.end(), [&](const Int& basis) { return projection_holds(a, b, r, basis); });
}

Layout solve_composition(LayoutRef a, LayoutRef b, const std::string& cute_says) {
  const std::vector<Int> bases = bases_of(a);
  std::vector<std::vector<Pieces>> projections;
  projections.reserve(bases.size());
  for (const Int& basis : bases) {
    projections.push_back(solve_projection(a, b, basis, cute_says));
  }
  const bool fixed = all_static(a.shape) && all_static(a.stride) && all_static(b.shape) && all_static(b.stride);
  std::vector<Modes> leaves;
  for (std::size_t j = 0; j < projections[0].size(); ++j) {
    std::vector<const Pieces*> along;
    for (const std::vector<Pieces>& pieces : projections) {
      along.push_back(&pieces[j]);
    }
    std::optional<Modes> modes = merge(along, bases, fixed ? NodeKind::fixed : NodeKind::dynamic);
    if (!modes) {
      fail("composition: no layout on shape " + to_string(b.shape) + " equals A o B: mode " + std::to_string(j) +
               " of B moves along several bases of A at once",
           cute_says);
    }
    leaves.push_back(*std::move(modes));
  }
  std::size_t leaf = 0;
  LayoutBuilder out;
  build(b.shape, leaves, leaf, out);
  return out.take();
}

}  // namespace tileloom::layout
