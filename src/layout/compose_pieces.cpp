// SPDX-License-Identifier: Apache-2.0
#include "layout/compose_pieces.hpp"

#include <algorithm>

#include "layout/fail.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

Digits no_digits(const FlatMap& map) {
  Digits digits;
  for (std::size_t k = 0; k < map.modes().size(); ++k) {
    digits.push_back(0);
  }
  return digits;
}

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

std::optional<Contradiction> pieces_by_values(const FlatMap& a, const Leaf& leaf, Pieces& pieces) {
  const auto f = [&](std::int64_t i) { return a(checked_mul(i, leaf.step)); };
  std::optional<Contradiction> first;
  const auto report = [&](Contradiction c) {
    if (!first || c.index < first->index) {
      first = std::move(c);
    }
  };
  std::int64_t n = leaf.size;
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

// --- Setting up --------------------------------------------------------------------------------------------------

Modes projected(LayoutRef l, const Int& basis) {
  Modes modes;
  for_each_mode(l, [&](const Int& s, const Int& d) {
    modes.push_back({s, d.same_basis(basis) ? d.scalar() : static_0});
  });
  return modes;
}

std::vector<Int> bases_of(LayoutRef a) {
  std::vector<Int> bases;
  for_each_mode(a, [&](const Int&, const Int& d) {
    if (std::none_of(bases.begin(), bases.end(), [&](const Int& x) { return x.same_basis(d); })) {
      bases.push_back(d);
    }
  });
  return bases;
}

namespace {
FlatMap extended_map(const Modes& modes) {
  return FlatMap(Engine(true).coalesced(modes, true));
}
}  // namespace

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

// --- Adding up ---------------------------------------------------------------------------------------------------

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
    std::vector<std::int64_t> table = {0};
    table.reserve(static_cast<std::size_t>(problem.leaves[j].size));
    for (const Piece& piece : pieces[j]) {
      const std::size_t block = table.size();
      for (std::size_t i = 0; i + block < block * static_cast<std::size_t>(piece.size); ++i) {
        table.push_back(checked_add(table[i], piece.stride));
      }
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
    if (map(x) != sum && visit(leaves, c, sum)) {
      return false;
    }
    for (std::size_t k = 0; k < c.size() && ++c[k] == problem.leaves[leaves[k]].size; ++k) {
      c[k] = 0;
    }
  }
  return true;
}

}  // namespace tileloom::layout
