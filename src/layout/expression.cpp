// SPDX-License-Identifier: Apache-2.0
// The table of functions: names, arguments, and how they map to the operations.
#include "tileloom/layout/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "layout/coordinate.hpp"
#include "layout/fail.hpp"

namespace tileloom::layout {

std::string to_string(const Value& value) {
  if (const bool* b = std::get_if<bool>(&value)) {
    return *b ? "true" : "false";
  }
  if (const Major* m = std::get_if<Major>(&value)) {
    return *m == Major::left ? "LayoutLeft" : "LayoutRight";
  }
  return std::visit(
      [](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Major>) {
          return {};
        } else {
          return to_string(x);
        }
      },
      value);
}

std::string kind_of(const Value& value) {
  if (const auto* t = std::get_if<Tree>(&value)) {
    return t->is_tuple() ? "a tuple" : "an integer";
  }
  static constexpr std::array<const char*, 9> names = {"",          "a layout", "a swizzled layout",
                                                       "a swizzle", "a tiler",  "a tensor",
                                                       "a pointer", "an order", "a truth value"};
  return names[value.index()];
}

namespace {

struct Function;

// The arguments of a call, with conversions that name the argument when they fail.
class Arguments {
 public:
  Arguments(const Function& f, std::vector<Value>& values, const Policy& policy)
      : function_(f), values_(values), policy_(policy) {}

  [[nodiscard]] std::size_t count() const noexcept { return values_.size(); }
  [[nodiscard]] const Policy& policy() const noexcept { return policy_; }
  [[nodiscard]] const Value& operator[](std::size_t i) const { return values_[i]; }

  template <class T>
  [[nodiscard]] bool is(std::size_t i) const {
    return i < count() && std::holds_alternative<T>(values_[i]);
  }
  [[nodiscard]] const Layout& layout(std::size_t i) const { return get<Layout>(i, "a layout"); }
  [[nodiscard]] const Swizzle& swizzle(std::size_t i) const { return get<Swizzle>(i, "a swizzle"); }
  [[nodiscard]] const Tree& tree(std::size_t i) const { return get<Tree>(i, "an integer or a tuple"); }
  [[nodiscard]] AnyLayout any_layout(std::size_t i) const {
    if (is<ComposedLayout>(i)) {
      return std::get<ComposedLayout>(values_[i]);
    }
    if (is<Tensor>(i)) {
      return std::get<Tensor>(values_[i]).layout;
    }
    return layout(i);
  }
  [[nodiscard]] Tree shape(std::size_t i) const {
    Tree t = is<Tree>(i) ? tree(i) : domain(any_layout(i)).shape();
    if (has_any(t) || has_basis(t)) {
      wrong(i, "a shape");
    }
    check_sizes(t);
    return t;
  }
  [[nodiscard]] Int integer(std::size_t i) const {
    const Tree& t = tree(i);
    if (t.is_tuple() || !t.leaf().is_integer() || t.leaf().has_basis()) {
      wrong(i, "an integer");
    }
    return t.leaf();
  }
  [[nodiscard]] std::size_t index(std::size_t i) const {
    const Int v = integer(i);
    if (v.value < 0 || v.value > static_cast<std::int64_t>(max_nodes)) {
      wrong(i, "a mode number");
    }
    return static_cast<std::size_t>(v.value);
  }
  [[nodiscard]] std::int64_t factor(std::size_t i) const {
    const Int v = integer(i);
    if (v.value < 1) {
      wrong(i, "a factor of at least 1");
    }
    return v.value;
  }
  [[nodiscard]] Tiler tiler(std::size_t i) const {
    if (is<Tiler>(i)) {
      return std::get<Tiler>(values_[i]);
    }
    if (is<Layout>(i)) {
      return std::get<Layout>(values_[i]);
    }
    if (!is<Tree>(i)) {
      wrong(i, "a tiler: a layout, a shape or <...>");
    }
    return Tiler::from_tree(std::get<Tree>(values_[i]));
  }
  [[nodiscard]] Order order(std::size_t i) const {
    if (is<Major>(i)) {
      return std::get<Major>(values_[i]);
    }
    return get<Tree>(i, "an order: Step<...>, LayoutLeft or LayoutRight");
  }
  [[noreturn]] void wrong(std::size_t i, const std::string& wanted) const;

 private:
  template <class T>
  [[nodiscard]] const T& get(std::size_t i, const char* wanted) const {
    if (!is<T>(i)) {
      wrong(i, wanted);
    }
    return std::get<T>(values_[i]);
  }

  const Function& function_;
  std::vector<Value>& values_;
  const Policy& policy_;
};

struct Function {
  FunctionInfo info;
  std::size_t least;
  std::size_t most;
  Value (*run)(const Arguments& a);
};

void Arguments::wrong(std::size_t i, const std::string& wanted) const {
  fail(std::string(function_.info.name) + ": argument " + std::to_string(i + 1) + " is " + kind_of(values_[i]) + ", " +
           to_string(values_[i]) + "; expected " + wanted,
       "usage: " + std::string(function_.info.name) + "(" + std::string(function_.info.arguments) + ")");
}

Value to_value(AnyLayout l) {
  return std::visit([](auto& x) -> Value { return std::move(x); }, l);
}

// --- Tensors: the engine moves with the offset -------------------------------------------------------------------

void based_terms(TreeRef t, TreeRef bases, TreeBuilder& b) {
  const Int* e = bases.nodes();
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p, ++e) {
    if (!p->is_tuple()) {
      b.leaf(mul(*p, *e));
    }
  }
}

Tree sum_of_coordinates(const Tree& a, const Tree& b) {
  if (b.is_leaf() && !b.leaf().has_basis()) {
    if (b.leaf().value != 0) {
      fail("a coordinate tensor moved by the integer " + to_string(b));
    }
    return a;
  }
  TreeBuilder terms;
  terms.open();
  based_terms(a, make_basis_like(a), terms);
  if (b.is_leaf()) {
    terms.leaf(b.leaf());
  } else {
    based_terms(b, make_basis_like(b), terms);
  }
  terms.close();
  return arithmetic_sum(terms.take());
}

void advance(Pointer& p, const Tree& offset) {
  if (offset.is_tuple()) {
    fail("a pointer moved by the coordinate " + to_string(offset));
  }
  const std::int64_t bits = checked_mul(offset.leaf().value, p.bits);
  if (bits == 0) {
    return;
  }
  std::uint64_t address = 0;
  const bool hex = p.address.starts_with("0x");
  const char* first = p.address.data() + (hex ? 2 : 0);
  const char* last = p.address.data() + p.address.size();
  const auto parsed = std::from_chars(first, last, address, 16);
  if (!hex || parsed.ec != std::errc() || parsed.ptr != last || bits % 8 != 0) {
    fail("the pointer " + to_string(p) + " cannot be moved by " + std::to_string(bits) + " bits",
         "an address that moves is written in hexadecimal, 0x...");
  }
  std::array<char, 20> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), address + static_cast<std::uint64_t>(bits / 8), 16);
  p.address = "0x" + std::string(text.data(), end.ptr);
}

// What slice_and_offset, local_tile and local_partition give for argument 0: a layout, or a tensor that has moved.
template <class Cut>
Value cut(const Arguments& a, std::size_t i, const Cut& f) {
  Sliced s = f(a.any_layout(i));
  if (!a.is<Tensor>(i)) {
    return to_value(std::move(s.layout));
  }
  Tensor t = std::get<Tensor>(a[i]);
  if (auto* p = std::get_if<Pointer>(&t.engine)) {
    advance(*p, s.offset);
  } else if (auto* sp = std::get_if<Tensor::SwizzledPointer>(&t.engine)) {
    advance(sp->pointer, s.offset);
  } else {
    t.engine = sum_of_coordinates(std::get<Tree>(t.engine), s.offset);
  }
  t.layout = std::move(s.layout);
  return t;
}

// A function of layouts that acts inside swizzles and tensors.
template <class F>
Value inside(const Arguments& a, std::size_t i, const F& f) {
  AnyLayout l = within(a.any_layout(i), f);
  if (a.is<Tensor>(i)) {
    Tensor t = std::get<Tensor>(a[i]);
    t.layout = std::move(l);
    return t;
  }
  return to_value(std::move(l));
}

// --- The functions -----------------------------------------------------------------------------------------------

template <Layout (*Op)(const Layout&, const Tiler&, const Policy&)>
Value tiled(const Arguments& a) {
  return inside(a, 0, [&](const Layout& l) { return Op(l, a.tiler(1), a.policy()); });
}

template <Layout (*Op)(const Layout&, const Layout&, const Policy&)>
Value product_of(const Arguments& a) {
  return inside(a, 0, [&](const Layout& l) { return Op(l, a.layout(1), a.policy()); });
}

Value run_composition(const Arguments& a) {
  const Policy& p = a.policy();
  if (a.count() == 3) {
    const Int offset = a.integer(1);
    if (a.swizzle(0).bits() == 0 && offset == static_0) {
      return a.layout(2);
    }
    return ComposedLayout(a.swizzle(0), {offset, 0}, a.layout(2));
  }
  if (a.is<Swizzle>(0)) {
    if (a.is<Swizzle>(1)) {
      return composition(a.swizzle(0), a.swizzle(1), p);
    }
    return to_value(composition(a.swizzle(0), a.layout(1)));
  }
  if (a.is<Layout>(0) && a.is<Swizzle>(1)) {
    return to_value(composition(a.layout(0), a.swizzle(1), p));
  }
  if (a.is<Layout>(0) && a.is<ComposedLayout>(1)) {
    return to_value(composition(a.layout(0), std::get<ComposedLayout>(a[1]), p));
  }
  return inside(a, 0, [&](const Layout& l) { return composition(l, a.tiler(1), p); });
}

Value run_complement(const Arguments& a) {
  const Layout l = domain(a.any_layout(0));
  return a.count() == 1 ? complement(l, a.policy()) : complement(l, a.shape(1), a.policy());
}

template <Layout (*Whole)(const Layout&), Layout (*ByProfile)(const Layout&, TreeRef)>
Value simplified(const Arguments& a) {
  return inside(a, 0, [&](const Layout& l) { return a.count() == 1 ? Whole(l) : ByProfile(l, a.tree(1)); });
}

Value run_make_layout(const Arguments& a) {
  if (a.is<Swizzle>(0)) {
    fail("make_layout: a swizzle alone has no shape", "use composition(Sw<...>, layout)");
  }
  if (a.is<Layout>(0)) {
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < a.count(); ++i) {
      modes.push_back(a.layout(i));
    }
    return make_layout(modes);
  }
  if (a.count() > 2) {
    a.wrong(2, "at most two arguments after a shape");
  }
  if (a.is<Tree>(1)) {
    return Layout(a.shape(0), a.tree(1));
  }
  return make_layout(a.shape(0), a.count() == 2 ? std::get<Major>(a.order(1)) : Major::left);
}

template <Tree (*OnTree)(TreeRef, TreeRef, std::size_t), Layout (*OnLayout)(const Layout&, std::size_t, const Layout&)>
Value extended(const Arguments& a) {
  const bool by_one = a.count() == 1 || !a.is<Tree>(1) || (a.is<Tree>(0) && a.count() == 2);
  if (a.is<Tree>(0)) {
    if (a.count() == 1) {
      a.wrong(0, "a layout, or a tuple and what to add to it");
    }
    return by_one ? OnTree(a.tree(0), a.tree(1), a.tree(0).rank() + 1) : OnTree(a.tree(0), a.tree(2), a.index(1));
  }
  const Layout x = a.count() == 1 ? Layout() : by_one ? a.layout(1) : a.count() == 3 ? a.layout(2) : Layout();
  return inside(a, 0, [&](const Layout& l) { return OnLayout(l, by_one ? l.rank() + 1 : a.index(1), x); });
}

Value run_get(const Arguments& a) {
  const auto descend = [&](auto view) {
    for (std::size_t i = 1; i < a.count(); ++i) {
      view = view[a.index(i)];
    }
    return view;
  };
  if (a.is<Tree>(0)) {
    return Tree(descend(TreeRef(a.tree(0))));
  }
  return inside(a, 0, [&](const Layout& l) { return Layout(descend(LayoutRef(l))); });
}

// size, rank, depth, shape, stride ... of argument 0, or of the mode that the other arguments name.
Layout mode_of(const Arguments& a) {
  const Layout whole = a.is<Tree>(0) ? Layout(a.tree(0)) : domain(a.any_layout(0));
  LayoutRef view = whole;
  for (std::size_t i = 1; i < a.count(); ++i) {
    view = view[a.index(i)];
  }
  return Layout(view);
}

Value run_slice(const Arguments& a) {
  const Tree& coord = a.tree(0);
  if (a.is<Tree>(1)) {
    return slice(coord, a.tree(1));
  }
  return cut(a, 1, [&](const AnyLayout& l) { return slice_and_offset(coord, l, a.policy()); });
}

Value run_dice(const Arguments& a) {
  if (a.is<Tree>(1)) {
    return dice(a.tree(0), a.tree(1));
  }
  return inside(a, 1, [&](const Layout& l) { return dice(a.tree(0), l); });
}

// A projection keeps the modes where it has an integer.
Tiler projected(const Tree& projection, const Tiler& t) {
  if (!t.is_modes() || !projection.is_tuple() || projection.rank() != t.modes().size()) {
    fail("local_tile: the projection " + to_string(projection) + " does not fit the tiler " + to_string(t));
  }
  std::vector<Tiler> kept;
  for (std::size_t i = 0; i < projection.rank(); ++i) {
    if (projection[i].is_tuple() || !projection[i].leaf().is_any()) {
      kept.push_back(t.modes()[i]);
    }
  }
  return Tiler(std::move(kept));
}

Value run_local_tile(const Arguments& a) {
  const Tiler tiler = a.count() == 4 ? projected(a.tree(3), a.tiler(1)) : a.tiler(1);
  const Tree coord = a.count() == 4 ? dice(a.tree(3), a.tree(2)) : a.tree(2);
  return cut(a, 0, [&](const AnyLayout& l) { return local_tile(l, tiler, coord, a.policy()); });
}

Value run_local_partition(const Arguments& a) {
  const Layout threads = a.count() == 4 ? dice(a.tree(3), a.layout(1)) : a.layout(1);
  return cut(a, 0, [&](const AnyLayout& l) { return local_partition(l, threads, a.integer(2), a.policy()); });
}

Value run_eval(const Arguments& a) {
  const Tree& coord = a.tree(1);
  if (!has_any(coord)) {
    Tree offset = evaluate(a.any_layout(0), coord);
    if (a.is<Tensor>(0) && std::holds_alternative<Tree>(std::get<Tensor>(a[0]).engine)) {
      return sum_of_coordinates(std::get<Tree>(std::get<Tensor>(a[0]).engine), offset);
    }
    return offset;
  }
  return cut(a, 0, [&](const AnyLayout& l) { return slice_and_offset(coord, l, a.policy()); });
}

Value run_crd2idx(const Arguments& a) {
  if (a.count() == 3) {
    const Layout checked(a.shape(1), a.tree(2));
    return crd2idx(a.tree(0), checked.shape(), checked.stride());
  }
  if (a.is<Tree>(1)) {
    return Tree(crd2idx(a.tree(0), a.shape(1)));
  }
  return evaluate(a.any_layout(1), a.tree(0));
}

Value run_upcast(const Arguments& a) {
  const std::int64_t n = a.factor(1);
  return a.is<Swizzle>(0) ? Value(upcast(a.swizzle(0), n)) : to_value(upcast(a.any_layout(0), n, a.policy()));
}
Value run_downcast(const Arguments& a) {
  const std::int64_t n = a.factor(1);
  return a.is<Swizzle>(0) ? Value(downcast(a.swizzle(0), n)) : to_value(downcast(a.any_layout(0), n, a.policy()));
}

Value run_right_inverse(const Arguments& a) {
  return a.is<Swizzle>(0) ? a[0] : to_value(right_inverse(a.any_layout(0), a.policy()));
}
Value run_left_inverse(const Arguments& a) {
  return a.is<Swizzle>(0) ? a[0] : to_value(left_inverse(a.any_layout(0), a.policy()));
}

constexpr std::size_t many = 16;

// By name.
const std::array table = {
    Function{{"append", "layout [, rank] [, mode]"}, 1, 3, extended<append, append>},
    Function{{"blocked_product", "layout, layout"}, 2, 2, product_of<blocked_product>},
    Function{{"ceil_div", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return ceil_div(a.shape(0), a.shape(1)); }},
    Function{{"coalesce", "layout [, profile]"}, 1, 2, simplified<coalesce, coalesce>},
    Function{{"compatible", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return compatible(a.shape(0), a.shape(1)); }},
    Function{{"complement", "layout [, size]"}, 1, 2, run_complement},
    Function{{"composition", "layout | swizzle, layout | tiler | swizzle"}, 2, 3, run_composition},
    Function{{"congruent", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return congruent(a.shape(0), a.shape(1)); }},
    Function{{"coshape", "layout [, mode...]"}, 1, many, [](const Arguments& a) -> Value { return coshape(mode_of(a)); }},
    Function{{"cosize", "layout [, mode...]"}, 1, many,
             [](const Arguments& a) -> Value { return Tree(cosize(mode_of(a))); }},
    Function{{"crd2crd", "coord, shape, shape"}, 3, 3,
             [](const Arguments& a) -> Value { return crd2crd(a.tree(0), a.shape(1), a.shape(2)); }},
    Function{{"crd2idx", "coord, layout | shape [, stride]"}, 2, 3, run_crd2idx},
    Function{{"depth", "layout | shape [, mode...]"}, 1, many,
             [](const Arguments& a) -> Value {
               return Tree(Int::make_static(static_cast<std::int64_t>(depth(mode_of(a).shape()))));
             }},
    Function{{"dice", "coord, layout | tuple"}, 2, 2, run_dice},
    Function{{"downcast", "layout | swizzle, factor"}, 2, 2, run_downcast},
    Function{{"eval", "layout, coord"}, 2, 2, run_eval},
    Function{{"evenly_divides", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return evenly_divides(a.shape(0), a.shape(1)); }},
    Function{{"filter", "layout [, profile]"}, 1, 2, simplified<filter, filter>},
    Function{{"filter_zeros", "layout"}, 1, 1,
             [](const Arguments& a) { return inside(a, 0, [](const Layout& l) { return filter_zeros(l); }); }},
    Function{{"flat_divide", "layout, tiler"}, 2, 2, tiled<flat_divide>},
    Function{{"flat_product", "layout, tiler"}, 2, 2, tiled<flat_product>},
    Function{{"flatten", "layout | tuple"}, 1, 1,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(flatten(TreeRef(a.tree(0))))
                                    : inside(a, 0, [](const Layout& l) { return flatten(l); });
             }},
    Function{{"get", "layout | tuple, mode..."}, 2, many, run_get},
    Function{{"group", "layout | tuple, begin, end"}, 3, 3,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(group(TreeRef(a.tree(0)), a.index(1), a.index(2)))
                                    : inside(a, 0, [&](const Layout& l) { return group(l, a.index(1), a.index(2)); });
             }},
    Function{{"idx2crd", "index, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return idx2crd(a.tree(0), a.shape(1)); }},
    Function{{"is_bijective", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return is_bijective(domain(a.any_layout(0))); }},
    Function{{"is_injective", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return is_injective(domain(a.any_layout(0))); }},
    Function{{"is_surjective", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return is_surjective(domain(a.any_layout(0))); }},
    Function{{"left_inverse", "layout | swizzle"}, 1, 1, run_left_inverse},
    Function{{"local_partition", "layout | tensor, threads, index [, projection]"}, 3, 4, run_local_partition},
    Function{{"local_tile", "layout | tensor, tiler, coord [, projection]"}, 3, 4, run_local_tile},
    Function{{"logical_divide", "layout, tiler"}, 2, 2, tiled<logical_divide>},
    Function{{"logical_product", "layout, tiler"}, 2, 2, tiled<logical_product>},
    Function{{"make_fragment_like", "layout | shape"}, 1, 1,
             [](const Arguments& a) -> Value {
               return a.is<Tree>(0) ? make_layout(a.shape(0)) : make_fragment_like(domain(a.any_layout(0)), a.policy());
             }},
    Function{{"make_identity_layout", "shape"}, 1, 1,
             [](const Arguments& a) -> Value { return make_identity_layout(a.shape(0)); }},
    Function{{"make_layout", "shape [, stride | LayoutLeft | LayoutRight] | layout..."}, 1, many, run_make_layout},
    Function{{"make_layout_like", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return make_layout_like(a.layout(0), a.policy()); }},
    Function{{"make_ordered_layout", "shape, order"}, 2, 2,
             [](const Arguments& a) -> Value { return make_ordered_layout(a.shape(0), a.order(1), a.policy()); }},
    Function{{"max_alignment", "layout | swizzle"}, 1, 1,
             [](const Arguments& a) -> Value {
               return a.is<Swizzle>(0) ? Tree(Int::make_static(std::int64_t{1} << a.swizzle(0).base()))
                                       : Tree(max_alignment(a.any_layout(0), a.policy()));
             }},
    Function{{"max_common_layout", "layout, layout"}, 2, 2,
             [](const Arguments& a) {
               return to_value(max_common_layout(a.any_layout(0), a.any_layout(1), a.policy()));
             }},
    Function{{"max_common_vector", "layout, layout"}, 2, 2,
             [](const Arguments& a) -> Value {
               return Tree(max_common_vector(a.any_layout(0), a.any_layout(1), a.policy()));
             }},
    Function{{"nullspace", "layout"}, 1, 1,
             [](const Arguments& a) -> Value { return nullspace(a.layout(0), a.policy()); }},
    Function{{"prepend", "layout [, rank] [, mode]"}, 1, 3, extended<prepend, prepend>},
    Function{{"product", "shape"}, 1, 1, [](const Arguments& a) -> Value { return Tree(product(a.shape(0))); }},
    Function{{"raked_product", "layout, layout"}, 2, 2, product_of<raked_product>},
    Function{{"rank", "layout | shape [, mode...]"}, 1, many,
             [](const Arguments& a) -> Value {
               return Tree(Int::make_static(static_cast<std::int64_t>(mode_of(a).rank())));
             }},
    Function{{"replace", "layout | tuple, mode, new"}, 3, 3,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(replace(TreeRef(a.tree(0)), a.index(1), a.tree(2)))
                                    : inside(a, 0, [&](const Layout& l) { return replace(l, a.index(1), a.layout(2)); });
             }},
    Function{{"right_inverse", "layout | swizzle"}, 1, 1, run_right_inverse},
    Function{{"shape", "layout [, mode...]"}, 1, many, [](const Arguments& a) -> Value { return mode_of(a).shape(); }},
    Function{{"size", "layout | shape [, mode...]"}, 1, many,
             [](const Arguments& a) -> Value { return Tree(size(mode_of(a))); }},
    Function{{"slice", "coord, layout | tensor | tuple"}, 2, 2, run_slice},
    Function{{"stride", "layout [, mode...]"}, 1, many,
             [](const Arguments& a) -> Value {
               if (!a.is<Layout>(0) && !a.is<Tensor>(0)) {
                 a.wrong(0, "a layout without a swizzle, as only those have strides");
               }
               return mode_of(a).stride();
             }},
    Function{{"take", "layout | tuple, begin, end"}, 3, 3,
             [](const Arguments& a) {
               return a.is<Tree>(0) ? Value(take(TreeRef(a.tree(0)), a.index(1), a.index(2)))
                                    : inside(a, 0, [&](const Layout& l) { return take(l, a.index(1), a.index(2)); });
             }},
    Function{{"tile_to_shape", "layout, shape [, order]"}, 2, 3,
             [](const Arguments& a) {
               return inside(a, 0, [&](const Layout& l) {
                 return tile_to_shape(l, a.shape(1), a.count() == 3 ? a.order(2) : Order(Major::left), a.policy());
               });
             }},
    Function{{"tiled_divide", "layout, tiler"}, 2, 2, tiled<tiled_divide>},
    Function{{"tiled_product", "layout, tiler"}, 2, 2, tiled<tiled_product>},
    Function{{"upcast", "layout | swizzle, factor"}, 2, 2, run_upcast},
    Function{{"weakly_congruent", "shape, shape"}, 2, 2,
             [](const Arguments& a) -> Value { return weakly_congruent(a.shape(0), a.shape(1)); }},
    Function{{"zipped_divide", "layout, tiler"}, 2, 2, tiled<zipped_divide>},
    Function{{"zipped_product", "layout, tiler"}, 2, 2, tiled<zipped_product>},
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

[[noreturn]] void unknown_function(std::string_view name) {
  if (name.size() > 40) {
    fail("unknown function '" + std::string(name.substr(0, 40)) + "...'");
  }
  const auto nearest = std::min_element(table.begin(), table.end(), [&](const Function& x, const Function& y) {
    return edit_distance(name, x.info.name) < edit_distance(name, y.info.name);
  });
  fail("unknown function '" + std::string(name) + "'", "did you mean " + std::string(nearest->info.name) + "?");
}

}  // namespace

Value call(std::string_view name, std::vector<Value> arguments, const Policy& policy) {
  const auto f = std::lower_bound(table.begin(), table.end(), name,
                                  [](const Function& x, std::string_view n) { return x.info.name < n; });
  if (f == table.end() || f->info.name != name) {
    unknown_function(name);
  }
  if (arguments.size() < f->least || arguments.size() > f->most) {
    fail(std::string(name) + ": " + std::to_string(arguments.size()) +
             (arguments.size() == 1 ? " argument" : " arguments") + ", expected " +
             (f->least == f->most ? "" : "at least ") + std::to_string(f->least) +
             (f->least == f->most || f->most == many ? "" : " and at most " + std::to_string(f->most)),
         "usage: " + std::string(name) + "(" + std::string(f->info.arguments) + ")");
  }
  return f->run(Arguments(*f, arguments, policy));
}

std::span<const FunctionInfo> functions() {
  static const std::vector<FunctionInfo> all = [] {
    std::vector<FunctionInfo> v;
    v.reserve(table.size());
    for (const Function& f : table) {
      v.push_back(f.info);
    }
    return v;
  }();
  return all;
}

}  // namespace tileloom::layout
