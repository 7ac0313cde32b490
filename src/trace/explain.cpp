// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/explain.hpp"

#include <cctype>

#include "trace/tensor_elements.hpp"

namespace tileloom::trace {

using layout::LayoutRef;

namespace {

// The names in `(MMA, MMA_M, MMA_K)`.
std::vector<std::string> mode_names(const std::string& modes) {
  std::vector<std::string> names(1);
  for (const char c : modes) {
    if (c == ',') {
      names.emplace_back();
    } else if (c != '(' && c != ')' && c != ' ') {
      names.back() += c;
    }
  }
  return names;
}

// m for MMA_M, a for MMA, which is then counted in letters.
std::string symbol_stem(const std::string& mode) {
  if (mode == "PIPE") {
    return "p";
  }
  if (mode == "k") {
    return "ik";
  }
  const std::size_t underscore = mode.rfind('_');
  return underscore == std::string::npos ? "" : std::string(1, static_cast<char>(std::tolower(mode.back())));
}

class Explainer {
 public:
  Explainer(const Kernel& kernel, const NamedLayout& tensor, std::int64_t thread)
      : kernel_(kernel), path_(kernel.path(tensor.operand)), tensor_(tensor), elements_(kernel, tensor, thread) {}

  ExplainedTensor explain() {
    ExplainedTensor e{tensor_, {}, std::nullopt, 0, false, {}};
    e.from_swizzled = tensor_.memory == Memory::shared && tensor_.division != Division::none &&
                      std::holds_alternative<layout::ComposedLayout>(*path_.shared);
    if (const auto* swizzled = std::get_if<layout::ComposedLayout>(&tensor_.layout)) {
      e.swizzle = swizzled->swizzle();
      e.before = swizzled->offset().value.value;
    }
    const LayoutRef l = domain(tensor_.layout);
    const std::vector<std::string> names = mode_names(tensor_.modes);
    for (std::size_t i = 0; i < l.rank(); ++i) {
      add_mode(e.modes, l[i], i, i < names.size() ? names[i] : "");
    }
    add_example(e);
    return e;
  }

 private:
  [[nodiscard]] bool of_mma() const { return tensor_.division == Division::mma; }
  [[nodiscard]] const TiledCopy& copy() const {
    const bool fill = tensor_.division == Division::fill_source || tensor_.division == Division::fill_destination;
    return fill ? *path_.fill : *path_.drain;
  }

  void add_mode(std::vector<ExplainedMode>& modes, LayoutRef mode, std::size_t i, const std::string& name) {
    const std::size_t before = modes.size();
    // Of a copy's first mode only the first part is one instruction's.
    if (i == 0 && !of_mma() && tensor_.division != Division::none && mode.rank() == 2) {
      add_leaves(modes, mode[0], i, name, Origin::copy);
      add_leaves(modes, mode[1], i, name, Origin::copies);
    } else {
      add_leaves(modes, mode, i, name,
                 i == 0 && tensor_.division != Division::none && !of_mma() ? Origin::copy : Origin::instruction);
    }
    if (modes.size() == before) {
      ExplainedMode one;
      one.mode = name;
      set_origin(one, i, Origin::instruction);
      modes.push_back(one);
    }
    const std::string stem = symbol_stem(name);
    const std::size_t count = modes.size() - before;
    for (std::size_t j = before; j < modes.size(); ++j) {
      const std::size_t number = j - before;
      modes[j].symbol = modes[j].size == 1 ? ""
                        : stem.empty()     ? std::string(1, static_cast<char>('a' + number))
                        : count == 1       ? stem
                                           : stem + std::to_string(number);
    }
  }

  void add_leaves(std::vector<ExplainedMode>& modes, LayoutRef l, std::size_t i, const std::string& name,
                  Origin of_first) {
    if (l.shape.is_tuple()) {
      for (std::size_t j = 0; j < l.rank(); ++j) {
        add_leaves(modes, l[j], i, name, of_first);
      }
      return;
    }
    const std::int64_t size = l.shape.leaf().value;
    if (size > 1) {
      ExplainedMode m;
      m.mode = name;
      m.size = size;
      m.stride = l.stride.leaf().value;
      measure(m);
      set_origin(m, i, of_first);
      modes.push_back(std::move(m));
    }
    coordinates_ *= size;
  }

  // What a step of this mode moves; coordinates_ values lie before the mode.
  void measure(ExplainedMode& m) const {
    const auto start = elements_.at(0);
    const auto moved = [&](std::int64_t i) {
      const auto at = elements_.at(i * coordinates_);
      return std::array<std::int64_t, 3>{at[0] - start[0], at[1] - start[1], at[2] - start[2]};
    };
    m.step = moved(1);
    for (std::int64_t i = 2; i < m.size && m.even; ++i) {
      m.even = moved(i) == std::array<std::int64_t, 3>{i * m.step[0], i * m.step[1], i * m.step[2]};
    }
    for (std::int64_t i = 0; i < m.size && !m.even; ++i) {
      const auto at = elements_.at(i * coordinates_);
      m.positions.push_back({static_cast<int>(at[0]), static_cast<int>(at[1])});
    }
  }

  void set_origin(ExplainedMode& m, std::size_t i, Origin of_first) const {
    if (i >= 2 && (m.mode == "k" || m.mode == "PIPE")) {
      m.origin = m.mode == "k" ? Origin::k_tile : Origin::stage;
      return;
    }
    if (tensor_.division == Division::none || i == 0) {
      m.origin = tensor_.division == Division::none ? Origin::tile : of_first;
      return;
    }
    const std::size_t axis = i - 1;  // rows, columns
    const auto modes = modes_of(tensor_.operand);
    const std::size_t problem = axis == 0 ? modes.first : modes.second;
    const std::int64_t tile = axis == 0 ? elements_.rows() : elements_.columns();
    if (!of_mma()) {
      m.origin = Origin::repeats;
      m.whole = tile;
      m.part = product(copy().tiler()[axis]).value;
      return;
    }
    const std::int64_t of_tiled_mma = kernel_.mma.tile_size(problem).value;
    const bool inside = m.size > 1 && std::abs(m.step.at(axis)) < of_tiled_mma;
    const hw::MmaAtom& atom = kernel_.mma.atom();
    const std::int64_t atoms = size(LayoutRef(kernel_.mma.thr_layout_vmnk())[problem + 1]).value;
    m.origin = inside ? Origin::permutation : Origin::repeats;
    m.whole = inside ? of_tiled_mma : tile;
    m.part = inside ? atoms * std::array{atom.m, atom.n, atom.k}.at(problem) : of_tiled_mma;
  }

  void add_example(ExplainedTensor& e) const {
    std::int64_t index = 0;
    std::int64_t before = 1;
    for (const ExplainedMode& m : e.modes) {
      const std::int64_t at = m.size > 1 ? 1 : 0;
      e.example.coordinate.push_back(at);
      index += at * before;
      before *= m.size;
    }
    e.example.offset = std::visit([&](const auto& l) { return l(index); }, tensor_.layout);
    e.example.element = elements_.at(index);
  }

  const Kernel& kernel_;
  const OperandPath& path_;
  const NamedLayout& tensor_;
  TensorElements elements_;
  std::int64_t coordinates_ = 1;
};

}  // namespace

ExplainedTensor explain(const Kernel& kernel, const NamedLayout& tensor, std::int64_t thread) {
  return Explainer(kernel, tensor, thread).explain();
}

}  // namespace tileloom::trace
