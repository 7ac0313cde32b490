// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "layout/engine.hpp"
#include "layout/fail.hpp"

namespace tileloom::layout {

namespace {

// Positions of `modes` for which keep(mode) holds, by stride. Equal strides end up where CuTe's exchange sort puts
// them, which is visible in the result.
template <class Keep>
SmallVector<std::size_t, 16> by_stride(const Modes& modes, Keep keep) {
  SmallVector<std::size_t, 16> order;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (keep(modes[i])) {
      order.push_back(i);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (modes[order[j]].stride.value < modes[order[i]].stride.value) {
        std::swap(order[i], order[j]);
      }
    }
  }
  return order;
}

// Stride of each mode in the layout's own 1-D coordinate.
SmallVector<Int, 16> coordinate_strides(const Modes& modes) {
  SmallVector<Int, 16> strides;
  Int current = static_1;
  for (const Mode& m : modes) {
    strides.push_back(current);
    current = mul(m.shape, current);
  }
  return strides;
}

void check_integer_strides(const char* what, LayoutRef l) {
  if (has_basis(l.stride)) {
    fail(std::string(what) + ": " + to_string(l) + " has basis strides, expected integers");
  }
}

}  // namespace

Layout Engine::right_inverse(LayoutRef l) const {
  check_integer_strides("right_inverse", l);
  const Modes modes = coalesced(l);
  const auto preceding = coordinate_strides(modes);
  Modes result;
  result.push_back({static_1, static_0});
  Int reached = static_1;
  for (const std::size_t i : by_stride(modes, [&](const Mode& m) { return decided(m.stride); })) {
    if (decided(reached) && modes[i].stride.value == reached.value) {
      result.push_back({modes[i].shape, preceding[i]});
      reached = mul(modes[i].shape, modes[i].stride);
    }
  }
  return to_layout(coalesced(result));
}

std::optional<Layout> Engine::left_inverse(LayoutRef l, Refusal* why) const {
  check_integer_strides("left_inverse", l);
  const Modes modes = coalesced(l);
  const auto preceding = coordinate_strides(modes);
  const auto order = by_stride(modes, [](const Mode&) { return true; });
  SmallVector<Int, 16> shape;
  SmallVector<Int, 16> stride;
  stride.push_back(static_0);
  Int covered = static_1;
  for (const std::size_t i : order) {
    const Int& step = modes[i].stride;
    if (!decided(step)) {
      return refuse(why, [&] {
        return Refusal{"left_inverse: " + to_string(l) + " has dynamic strides, whose order is not known", {}};
      });
    }
    if (is(step, 0)) {
      continue;
    }
    if (mod(step, covered).value != 0) {
      return refuse(why, [&] {
        return Refusal{"left_inverse: the stride " + to_string(Tree(step)) + " of " + to_string(l) +
                           " is not a multiple of " + std::to_string(covered.value) + ", which the smaller strides fix",
                       {}};
      });
    }
    shape.push_back(div(step, covered));
    covered = mul(covered, shape.back());
    stride.push_back(preceding[i]);
  }
  shape.push_back(modes[order.back()].shape);
  Modes result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    result.push_back({shape[i], stride[i]});
  }
  return to_layout(coalesced(result));
}

Layout Engine::nullspace(LayoutRef l) const {
  Modes result;
  Int current = static_1;
  for_each_mode(l, [&](const Int& s, const Int& d) {
    const Int step = s.is_static() && s.value == 1 ? static_0 : current;
    if (is(d, 0)) {
      result.push_back({s, step});
    }
    current = mul(current, s);
  });
  if (result.empty()) {
    return {};
  }
  return to_layout(result);
}

// --- recasts -----------------------------------------------------------------------------------------------------

std::optional<Layout> Engine::upcast(LayoutRef l, std::int64_t factor, Refusal* why) const {
  const Int* wrong = nullptr;
  for_each_mode(l, [&](const Int&, const Int& d) {
    const bool divides =
        !d.has_basis() && (d.value == 0 || !decided(d) || d.value % factor == 0 || factor % d.value == 0);
    wrong = wrong == nullptr && !divides ? &d : wrong;
  });
  if (wrong != nullptr) {
    return refuse(why, [&] {
      return Refusal{wrong->has_basis() ? "upcast: " + to_string(l) + " has a basis stride, expected an integer"
                                        : "upcast: the stride " + to_string(Tree(*wrong)) + " and the factor " +
                                              std::to_string(factor) + " do not divide each other",
                     {}};
    });
  }
  LayoutBuilder out;
  upcast_into(l, Int::make_static(factor), out);
  return out.take();
}

void Engine::upcast_into(LayoutRef l, const Int& factor, LayoutBuilder& out) const {
  if (l.shape.is_tuple()) {
    out.open();
    for (std::size_t i = 0; i < l.rank(); ++i) {
      upcast_into(l[i], factor, out);
    }
    out.close();
    return;
  }
  const Int& shape = l.shape.leaf();
  const Int& stride = l.stride.leaf();
  if (is(stride, 0)) {
    out.mode(shape, stride);
  } else if (!decided(stride)) {
    out.mode(shape, div(stride, factor));
  } else {
    out.mode(ceil_div(shape, ceil_div(factor, abs(stride))), mul(signum(stride), ceil_div(abs(stride), factor)));
  }
}

std::optional<Layout> Engine::downcast(LayoutRef l, std::int64_t factor, Refusal* why) const {
  bool adjacent = false;
  for_each_mode(l, [&](const Int&, const Int& d) { adjacent = adjacent || is(d, 1); });
  if (!adjacent) {
    return refuse(why, [&] {
      return Refusal{"downcast: " + to_string(l) + " has no mode of " + (known_ ? "" : "static ") +
                         "stride 1, so the parts of an element have no mode to go to",
                     {}};
    });
  }
  LayoutBuilder out;
  downcast_into(l, Int::make_static(factor), out);
  return out.take();
}

void Engine::downcast_into(LayoutRef l, const Int& factor, LayoutBuilder& out) const {
  if (l.shape.is_tuple()) {
    out.open();
    for (std::size_t i = 0; i < l.rank(); ++i) {
      downcast_into(l[i], factor, out);
    }
    out.close();
    return;
  }
  const Int& stride = l.stride.leaf();
  if (is(stride, 1) || is(stride, -1)) {
    out.mode(mul(l.shape.leaf(), factor), stride);
  } else {
    out.mode(l.shape.leaf(), mul(stride, factor));
  }
}

}  // namespace tileloom::layout
