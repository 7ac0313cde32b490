// SPDX-License-Identifier: Apache-2.0
// Integer trees: an integer, or a tuple of integer trees. Shapes, strides and coordinates are trees.
//
// A tree is stored as its nodes in reading order, each tuple node knowing how many nodes it spans. Trees of up to
// `inline_nodes` nodes (all trees of 8 leaves whose tuples are not needlessly nested) live without allocation.
//
//   Tree((_4, (_2, _8)))  ->  [tuple span 5][_4][tuple span 3][_2][_8]
#pragma once

#include <initializer_list>
#include <string>

#include "tileloom/layout/int.hpp"
#include "tileloom/layout/small_vector.hpp"

namespace tileloom::layout {

inline constexpr std::size_t inline_nodes = 24;
inline constexpr std::size_t max_nodes = 4096;  // of one tree
inline constexpr std::size_t max_depth = 40;    // of nested tuples

class Tree;

// A view of a tree or subtree; valid as long as the Tree it came from lives unchanged.
class TreeRef {
 public:
  explicit TreeRef(const Int* node) noexcept : node_(node) {}
  TreeRef(const Tree& tree) noexcept;  // NOLINT: a tree is usable wherever a view is

  [[nodiscard]] bool is_tuple() const noexcept { return node_->is_tuple(); }
  [[nodiscard]] bool is_leaf() const noexcept { return !node_->is_tuple(); }
  // The leaf itself. Precondition: is_leaf().
  [[nodiscard]] const Int& leaf() const noexcept { return *node_; }
  // Number of modes; 1 for an integer, as in CuTe.
  [[nodiscard]] std::size_t rank() const noexcept { return is_tuple() ? node_->arity : 1; }
  [[nodiscard]] std::size_t node_count() const noexcept {
    return is_tuple() ? static_cast<std::size_t>(node_->value) : 1;
  }
  [[nodiscard]] const Int* nodes() const noexcept { return node_; }
  // Mode i; an integer is its own mode 0. Throws if there is no mode i.
  [[nodiscard]] TreeRef operator[](std::size_t i) const;

  // Iterates the children of a tuple; an integer has none.
  class Iterator {
   public:
    explicit Iterator(const Int* node) noexcept : node_(node) {}
    [[nodiscard]] TreeRef operator*() const noexcept { return TreeRef(node_); }
    Iterator& operator++() noexcept {
      node_ += node_->is_tuple() ? node_->value : 1;
      return *this;
    }
    [[nodiscard]] bool operator!=(const Iterator& o) const noexcept { return node_ != o.node_; }
    [[nodiscard]] bool operator==(const Iterator& o) const noexcept { return node_ == o.node_; }

   private:
    const Int* node_;
  };
  [[nodiscard]] Iterator begin() const noexcept { return Iterator(node_ + 1); }
  [[nodiscard]] Iterator end() const noexcept { return Iterator(node_ + node_count()); }

 private:
  const Int* node_;
};

class Tree {
 public:
  // The static integer zero.
  Tree() { nodes_.push_back(static_0); }
  Tree(const Int& leaf) { nodes_.push_back(leaf); }  // NOLINT: an integer is a tree
  explicit Tree(TreeRef view) { nodes_.append(view.nodes(), view.node_count()); }

  [[nodiscard]] static Tree tuple(std::initializer_list<Tree> children);

  [[nodiscard]] bool is_tuple() const noexcept { return nodes_[0].is_tuple(); }
  [[nodiscard]] bool is_leaf() const noexcept { return !is_tuple(); }
  [[nodiscard]] const Int& leaf() const noexcept { return nodes_[0]; }
  [[nodiscard]] std::size_t rank() const noexcept { return TreeRef(*this).rank(); }
  [[nodiscard]] TreeRef operator[](std::size_t i) const { return TreeRef(*this)[i]; }
  [[nodiscard]] const Int* nodes() const noexcept { return nodes_.data(); }
  [[nodiscard]] std::size_t node_count() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool is_inline() const noexcept { return nodes_.is_inline(); }
  [[nodiscard]] TreeRef::Iterator begin() const noexcept { return TreeRef(*this).begin(); }
  [[nodiscard]] TreeRef::Iterator end() const noexcept { return TreeRef(*this).end(); }

  // Same text.
  [[nodiscard]] friend bool operator==(const Tree& a, const Tree& b) noexcept { return same_text(a, b); }
  [[nodiscard]] static bool same_text(TreeRef a, TreeRef b) noexcept;

 private:
  friend class TreeBuilder;
  struct Empty {};
  explicit Tree(Empty) noexcept {}
  SmallVector<Int, inline_nodes> nodes_;
};

inline TreeRef::TreeRef(const Tree& tree) noexcept : node_(tree.nodes()) {}

// Writes a tree in reading order: open(), leaf(), append(), close(), then take(). Bounds depth and size.
class TreeBuilder {
 public:
  TreeBuilder() : tree_(Tree::Empty{}) {}
  void open() {
    if (depth_ == max_depth) {
      throw_too_deep();
    }
    add_child(1);
    open_[depth_++] = static_cast<std::uint32_t>(tree_.nodes_.size());
    tree_.nodes_.push_back({0, NodeKind::tuple, 0, 0, {}});
  }
  void close() noexcept {
    const std::uint32_t at = open_[--depth_];
    tree_.nodes_[at].value = static_cast<std::int64_t>(tree_.nodes_.size() - at);
  }
  void leaf(const Int& value) {
    add_child(1);
    tree_.nodes_.push_back(value);
  }
  void append(TreeRef subtree) {
    if (subtree.is_leaf()) {
      leaf(subtree.leaf());
    } else {
      append_tuple(subtree);
    }
  }
  [[nodiscard]] bool empty() const noexcept { return tree_.nodes_.empty(); }
  [[nodiscard]] Tree take() { return std::move(tree_); }

 private:
  void add_child(std::size_t nodes) {
    if (tree_.nodes_.size() + nodes > max_nodes) {
      throw_too_large();
    }
    if (depth_ > 0) {
      ++tree_.nodes_[open_[depth_ - 1]].arity;
    }
  }
  void append_tuple(TreeRef subtree);
  [[noreturn]] static void throw_too_deep();
  [[noreturn]] static void throw_too_large();

  Tree tree_;
  std::size_t depth_ = 0;
  std::array<std::uint32_t, max_depth> open_;  // uninitialised beyond depth_
};

// --- Questions and operations on trees, named as in CuTe --------------------------------------------------------

// Product of all leaves; 1 for the empty tuple.
[[nodiscard]] Int product(TreeRef t);
// Number of nested tuples: 0 for an integer.
[[nodiscard]] std::size_t depth(TreeRef t);
[[nodiscard]] std::size_t leaf_count(TreeRef t) noexcept;
[[nodiscard]] bool all_static(TreeRef t) noexcept;
[[nodiscard]] bool has_any(TreeRef t) noexcept;    // a `_` somewhere
[[nodiscard]] bool has_basis(TreeRef t) noexcept;  // a scaled basis somewhere

// Depth at most 1; an integer stays an integer.
[[nodiscard]] Tree flatten(TreeRef t);
// A rank(t) tuple of the products of the modes.
[[nodiscard]] Tree product_each(TreeRef t);
// The products of `t` at the leaves of `guide`.
[[nodiscard]] Tree product_like(TreeRef t, TreeRef guide);
// Modes [begin, end), always a tuple.
[[nodiscard]] Tree take(TreeRef t, std::size_t begin, std::size_t end);
// Groups modes [begin, end) into one.
[[nodiscard]] Tree group(TreeRef t, std::size_t begin, std::size_t end);
// `t` extended to `rank` modes with copies of `x`.
[[nodiscard]] Tree append(TreeRef t, TreeRef x, std::size_t rank);
[[nodiscard]] Tree prepend(TreeRef t, TreeRef x, std::size_t rank);
// Mode i replaced by x.
[[nodiscard]] Tree replace(TreeRef t, std::size_t i, TreeRef x);
// The modes of `t` where `coord` has `_` (slice), or where it has an integer (dice).
[[nodiscard]] Tree slice(TreeRef coord, TreeRef t);
[[nodiscard]] Tree dice(TreeRef coord, TreeRef t);
// The profile of `t` with `_1@path` in place of each leaf.
[[nodiscard]] Tree make_basis_like(TreeRef t);

// Same profile.
[[nodiscard]] bool congruent(TreeRef a, TreeRef b) noexcept;
// `b` refines the profile of `a`.
[[nodiscard]] bool weakly_congruent(TreeRef a, TreeRef b) noexcept;
// `b` refines the profile of `a`, and the sizes agree at each leaf of `a`: a coordinate of `a` is one of `b`.
[[nodiscard]] bool compatible(TreeRef a, TreeRef b);
// Each mode of `tiler` divides the mode of `shape`.
[[nodiscard]] bool evenly_divides(TreeRef shape, TreeRef tiler);
// ceil_div over trees as CuTe defines it (tuple by tuple, tuple by integer folds, integer by tuple uses the product).
[[nodiscard]] Tree ceil_div(TreeRef a, TreeRef b);

// Integer -> coordinate in `shape`, first mode fastest; and back.
[[nodiscard]] Tree idx2crd(TreeRef index, TreeRef shape);
[[nodiscard]] Int crd2idx(TreeRef coord, TreeRef shape);
// coord . stride, where an integer coordinate of a tuple shape is split, first mode fastest, the last mode unbounded.
// With basis strides the result is a tree (a coordinate).
[[nodiscard]] Tree crd2idx(TreeRef coord, TreeRef shape, TreeRef stride);
// The coordinate of `to` at the position that `coord` has in `from`.
[[nodiscard]] Tree crd2crd(TreeRef coord, TreeRef from, TreeRef to);

// Compact strides for `shape`: first mode fastest (left) or last mode fastest (right). Static size 1 gets stride _0.
enum class Major { left, right };
[[nodiscard]] Tree compact_major(TreeRef shape, Major major, const Int& first = static_1);

// CuTe's text. See text.hpp for the reverse.
[[nodiscard]] std::string to_string(TreeRef t);
[[nodiscard]] inline std::string to_string(const Tree& t) {
  return to_string(TreeRef(t));
}

}  // namespace tileloom::layout
