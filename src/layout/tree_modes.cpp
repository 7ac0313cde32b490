// SPDX-License-Identifier: Apache-2.0
// Taking trees apart and putting them together, mode by mode.
#include "layout/fail.hpp"
#include "tileloom/layout/tree.hpp"

namespace tileloom::layout {

namespace {
void check_range(const char* what, TreeRef t, std::size_t begin, std::size_t end) {
  if (begin > end || end > t.rank()) {
    fail(std::string(what) + ": modes [" + std::to_string(begin) + ", " + std::to_string(end) + ") of " + to_string(t) +
         ", which has " + std::to_string(t.rank()));
  }
}
}  // namespace

Tree take(TreeRef t, std::size_t begin, std::size_t end) {
  check_range("take", t, begin, end);
  TreeBuilder b;
  b.open();
  for (std::size_t i = begin; i < end; ++i) {
    b.append(t[i]);
  }
  b.close();
  return b.take();
}

Tree group(TreeRef t, std::size_t begin, std::size_t end) {
  check_range("group", t, begin, end);
  TreeBuilder b;
  b.open();
  for (std::size_t i = 0; i < t.rank(); ++i) {
    if (i == begin && begin < end) {
      b.open();
    }
    b.append(t[i]);
    if (i + 1 == end && begin < end) {
      b.close();
    }
  }
  b.close();
  return b.take();
}

namespace {
Tree extend(const char* what, TreeRef t, TreeRef x, std::size_t rank, bool at_end) {
  const std::size_t have = t.rank();
  if (rank < have) {
    fail(std::string(what) + ": " + to_string(t) + " has " + std::to_string(have) + " modes, more than the wanted " +
         std::to_string(rank));
  }
  if (rank == have) {
    return Tree(t);
  }
  TreeBuilder b;
  b.open();
  for (std::size_t i = have; !at_end && i < rank; ++i) {
    b.append(x);
  }
  for (std::size_t i = 0; i < have; ++i) {
    b.append(t[i]);
  }
  for (std::size_t i = have; at_end && i < rank; ++i) {
    b.append(x);
  }
  b.close();
  return b.take();
}
}  // namespace

Tree append(TreeRef t, TreeRef x, std::size_t rank) {
  return extend("append", t, x, rank, true);
}
Tree prepend(TreeRef t, TreeRef x, std::size_t rank) {
  return extend("prepend", t, x, rank, false);
}

Tree replace(TreeRef t, std::size_t at, TreeRef x) {
  check_range("replace", t, at, at + 1);
  if (t.is_leaf()) {
    return Tree(x);
  }
  TreeBuilder b;
  b.open();
  std::size_t i = 0;
  for (const TreeRef child : t) {
    b.append(i++ == at ? x : child);
  }
  b.close();
  return b.take();
}

namespace {
void check_coordinate_rank(TreeRef coord, TreeRef t) {
  if (!t.is_tuple() || t.rank() != coord.rank()) {
    fail("coordinate " + to_string(coord) + " does not fit " + to_string(t));
  }
}

// Appends the selected modes of `t`, without the tuples of `coord`.
void select_into(TreeRef coord, TreeRef t, bool keep_any, TreeBuilder& b) {
  if (coord.is_leaf()) {
    if (coord.leaf().is_any() == keep_any) {
      b.append(t);
    }
    return;
  }
  check_coordinate_rank(coord, t);
  auto child = t.begin();
  for (const TreeRef c : coord) {
    select_into(c, *child, keep_any, b);
    ++child;
  }
}

Tree select(TreeRef coord, TreeRef t, bool keep_any) {
  if (coord.is_leaf() && coord.leaf().is_any() == keep_any) {
    return Tree(t);
  }
  TreeBuilder b;
  b.open();
  select_into(coord, t, keep_any, b);
  b.close();
  return b.take();
}
}  // namespace

Tree slice(TreeRef coord, TreeRef t) {
  return select(coord, t, true);
}
Tree dice(TreeRef coord, TreeRef t) {
  return select(coord, t, false);
}

}  // namespace tileloom::layout
