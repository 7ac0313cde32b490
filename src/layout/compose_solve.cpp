// SPDX-License-Identifier: Apache-2.0
// Composition from the values of A o B: the layout that equals it, or why there is none.
#include <algorithm>
#include <array>

#include "layout/compose_pieces.hpp"
#include "layout/fail.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

namespace {

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
      if (auto bad = pieces_by_values(map, leaf, pieces[j])) {
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
    const auto visit = [&](const std::vector<std::size_t>& leaves, const std::vector<std::int64_t>& c,
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
    along.reserve(projections.size());
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
