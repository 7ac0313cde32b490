// SPDX-License-Identifier: Apache-2.0
#include "trace/suggest/tiles.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "trace/copy_ends.hpp"

namespace tileloom::trace {

using layout::Int;
using layout::Layout;
using layout::Swizzle;
using layout::Tree;
using std::to_string;

namespace {

constexpr std::int64_t bank_bytes = 128;  // all banks once: padding by more repeats

Layout mode(std::int64_t size, std::int64_t stride) {
  return Layout(Tree(Int::make_static(size)), Tree(Int::make_static(stride)));
}

// The kernel's own layout of one stage, each mode in as few pieces as possible.
Layout own_layout(const OperandPath& path) {
  const Layout& l = domain(*path.shared);
  std::vector<Layout> modes;
  const std::size_t count = path.operand == Operand::c ? l.rank() : 2;
  for (std::size_t i = 0; i < count; ++i) {
    modes.push_back(coalesce(l[i]));
  }
  return make_layout(modes);
}

// Rows of `pitch` elements one after the other (columns, where rows are contiguous).
Layout plain_layout(const OperandPath& path, bool contiguous_rows, std::int64_t padding) {
  const std::int64_t rows = mode_size(*path.shared, 0);
  const std::int64_t columns = mode_size(*path.shared, 1);
  const std::int64_t pitch = (contiguous_rows ? rows : columns) + padding;
  std::vector<Layout> modes{contiguous_rows ? mode(rows, 1) : mode(rows, pitch),
                            contiguous_rows ? mode(columns, pitch) : mode(columns, 1)};
  if (path.operand == Operand::c && domain(*path.shared).rank() > 2) {
    modes.push_back(mode(mode_size(*path.shared, 2), pitch * (contiguous_rows ? columns : rows)));
  }
  return make_layout(modes);
}

bool is_compact(const Layout& l) {
  return cosize(l).value == size(l).value;
}

// Do all elements stay inside the tile, and is the swizzle the same in every stage?
bool is_legal(const TileLayout& tile, std::int64_t period, std::int64_t stride) {
  if (period > static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tile.extent))) ||
      stride % period != 0) {
    return false;
  }
  return std::ranges::all_of(tile.inner->offsets,
                             [&](std::int64_t offset) { return tile.swizzle(offset) < tile.extent; });
}

// Bits that tell `count` things apart.
int bits_to_count(std::int64_t count) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
}

std::string name_of(const Swizzle& s) {
  return "Sw<" + to_string(s.bits()) + "," + to_string(s.base()) + "," + to_string(s.shift()) + ">";
}

void add_swizzles(std::vector<TileLayout>& out, const Layout& layout, const std::string& on, std::int64_t together,
                  std::int64_t stride) {
  const std::int64_t extent = cosize(layout).value;
  const auto inner = std::make_shared<const InnerLayout>(layout);
  out.push_back({"no swizzle" + on, Swizzle(0, 0, 0), inner, extent, false});
  const int address_bits = bits_to_count(extent);
  const int least_base = bits_to_count(together);
  for (int bits = 1; 2 * bits + least_base <= address_bits; ++bits) {
    for (int shift = bits; least_base + bits + shift <= address_bits; ++shift) {
      for (int base = least_base; base + bits + shift <= address_bits; ++base) {
        for (const int sign : {1, -1}) {
          TileLayout tile{"", Swizzle(bits, base, sign * shift), inner, extent, false};
          if (is_legal(tile, std::int64_t{1} << (base + bits + shift), stride)) {
            tile.what = name_of(tile.swizzle) + on;
            out.push_back(std::move(tile));
          }
        }
      }
    }
  }
}

// --- Placing -----------------------------------------------------------------------------------------------------

std::string field(const char* stage, Operand o) {
  return std::string(stage) + "." + letter(o);
}

std::string text_of(const TileLayout& tile, std::int64_t stages, std::int64_t stride) {
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < tile.inner->layout.rank(); ++i) {
    modes.push_back(tile.inner->layout[i]);
  }
  if (stages > 0) {
    modes.push_back(mode(stages, stride));
  }
  const Layout all = make_layout(modes);
  return tile.swizzle.bits() == 0 ? to_string(all) : name_of(tile.swizzle) + " o _0 o " + to_string(all);
}

TileLayout present_tile(const OperandPath& path) {
  const auto* composed = std::get_if<layout::ComposedLayout>(&*path.shared);
  return {"", composed != nullptr ? composed->swizzle() : Swizzle(0, 0, 0),
          std::make_shared<const InnerLayout>(own_layout(path)), 0, false};
}

std::string text_of(const TileLayout& tile, const Stages& stages, std::int64_t stride) {
  return text_of(tile, stages.third_mode ? stages.count : 0, stride);
}

const OperandPath& other_of(const Kernel& kernel, const OperandPath& path) {
  return kernel.path(path.operand == Operand::a ? Operand::b : Operand::a);
}

std::int64_t stage_stride(const OperandPath& path) {
  return mode_size(*path.shared, 2) > 1 ? domain(*path.shared)(path.elements()) - domain(*path.shared)(0) : 0;
}

// Stages of A and B in turn, A and B of each together?
bool alternate(const Kernel& kernel) {
  const OperandPath& a = kernel.path(Operand::a);
  const OperandPath& b = kernel.path(Operand::b);
  return a.shared && b.shared && a.bits == b.bits && stage_stride(a) > 0 && stage_stride(a) == stage_stride(b) &&
         stage_stride(a) >= cosize(own_layout(a)).value + cosize(own_layout(b)).value;
}

// What is kept for one stage: up to whatever comes next.
std::int64_t kept(const Kernel& kernel, const OperandPath& path) {
  if (path.operand == Operand::c) {
    return cosize(own_layout(path)).value;
  }
  const OperandPath& other = other_of(kernel, path);
  const bool first = other.shared && other.shared_at > path.shared_at;
  const std::int64_t between = (other.shared_at - path.shared_at) * 8 / path.bits;
  if (alternate(kernel)) {
    return first ? between : stage_stride(path) + between;
  }
  if (mode_size(*path.shared, 2) > 1) {
    return stage_stride(path);
  }
  return first ? between : cosize(own_layout(path)).value;
}

}  // namespace

InnerLayout::InnerLayout(Layout l) : layout(std::move(l)), offsets(static_cast<std::size_t>(size(layout).value)) {
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = layout(static_cast<std::int64_t>(i));
  }
}

bool rows_are_contiguous(const layout::AnyLayout& tensor) {
  const auto step = [&](std::size_t i) {
    const std::int64_t index = i == 0 ? 1 : mode_size(tensor, 0);
    return mode_size(tensor, i) > 1 ? std::abs(domain(tensor)(index)) : INT64_MAX;
  };
  return step(0) < step(1);
}

Stages stages_of(const Kernel& kernel, const OperandPath& path) {
  Stages s;
  s.extent = kept(kernel, path);
  if (path.operand != Operand::c) {
    s.third_mode = domain(*path.shared).rank() > 2;
    s.count = mode_size(*path.shared, 2);
    s.stride = stage_stride(path);
  }
  return s;
}

std::vector<TileLayout> tile_layouts(const Kernel& kernel, const OperandPath& path, std::int64_t together) {
  std::vector<TileLayout> all;
  const Stages stages = stages_of(kernel, path);
  const bool contiguous_rows = rows_are_contiguous(*path.shared);
  const Layout own = own_layout(path);
  const Layout plain = plain_layout(path, contiguous_rows, 0);
  const auto stride = [&](const Layout& inner) {
    return stages.count > 1 ? stages.stride + cosize(inner).value - stages.extent : 0;
  };
  if (is_compact(own)) {
    add_swizzles(all, own, "", together, stride(own));
  }
  if (!is_compact(own) || own != plain) {
    add_swizzles(all, plain, is_compact(own) ? " on plain rows" : "", together, stride(plain));
  }
  for (std::int64_t padding = together; padding * path.bits / 8 < bank_bytes; padding += together) {
    const Layout padded = plain_layout(path, contiguous_rows, padding);
    const std::int64_t pitch = mode_size(*path.shared, contiguous_rows ? 0 : 1) + padding;
    all.push_back({(contiguous_rows ? "columns of " : "rows of ") + to_string(pitch) + " elements", Swizzle(0, 0, 0),
                   std::make_shared<const InnerLayout>(padded),
                   pitch * mode_size(*path.shared, contiguous_rows ? 1 : 0) * mode_size(padded, 2), true});
  }
  return all;
}

Settings place_tile(const Kernel& kernel, const OperandPath& path, const TileLayout& tile) {
  const Stages stages = stages_of(kernel, path);
  const std::int64_t growth = tile.extent - stages.extent;
  if (path.operand == Operand::c) {
    return {{field("smem", path.operand), text_of(tile, 0, 0)}};
  }
  const std::int64_t stride = stages.count > 1 ? stages.stride + growth : tile.extent;
  Settings settings{{field("smem", path.operand), text_of(tile, stages, stride)}};
  const OperandPath& other = other_of(kernel, path);
  if (growth == 0 || !other.shared) {
    return settings;
  }
  const Stages others = stages_of(kernel, other);
  const bool in_turn = alternate(kernel);
  if (in_turn) {
    settings.emplace_back(field("smem", other.operand), text_of(present_tile(other), others, stride));
  }
  if (other.shared_at > path.shared_at) {
    const std::int64_t bytes = growth * (in_turn ? 1 : stages.count) * path.bits / 8;
    const std::int64_t at = (other.shared_at + bytes + bank_bytes - 1) / bank_bytes * bank_bytes;
    settings.emplace_back(field("smem.at", other.operand), to_string(at));
  }
  return settings;
}

std::optional<Settings> wider_tile(const Kernel& kernel, std::int64_t factor, int stages) {
  const auto& tile = kernel.config.tile;
  Settings settings{
      {"tile", "[" + to_string(tile[0]) + "," + to_string(tile[1]) + "," + to_string(tile[2] * factor) + "]"}};
  if (stages != kernel.config.stages) {
    settings.emplace_back("stages", to_string(stages));
  }
  std::int64_t end = 0;
  for (const Operand o : {Operand::a, Operand::b}) {
    const OperandPath& p = kernel.path(o);
    const auto write = write_end(p);
    if (!write || rows_are_contiguous(*p.shared)) {
      return std::nullopt;
    }
    const std::int64_t columns = p.columns * factor;
    const std::int64_t values = write->width * 8 / p.bits;
    const std::int64_t across = columns / values;
    const std::int64_t threads = p.fill->threads().value;
    if (threads % across != 0 || p.rows % (threads / across) != 0) {
      return std::nullopt;
    }
    const bool third = stages_of(kernel, p).third_mode;
    const Layout rows = make_layout(std::vector<Layout>{mode(p.rows, columns), mode(columns, 1)});
    const TileLayout plain{"", Swizzle(0, 0, 0), std::make_shared<const InnerLayout>(rows), p.rows * columns, false};
    settings.emplace_back(field("smem", o), text_of(plain, third ? stages : 0, plain.extent));
    if (kernel.config.smem_at.at(static_cast<std::size_t>(o))) {
      settings.emplace_back(field("smem.at", o), to_string(end));
    }
    end += plain.extent * stages * p.bits / 8;
    settings.emplace_back(field("g2s", o) + ".thr",
                          to_string(make_layout(std::vector<Layout>{mode(threads / across, across), mode(across, 1)})));
    settings.emplace_back(field("g2s", o) + ".val", "(_1,_" + to_string(values) + ")");
  }
  return settings;
}

KernelConfig with_settings(KernelConfig config, const Settings& settings) {
  for (const auto& [name, value] : settings) {
    const std::size_t i = static_cast<std::size_t>(
        name.find_last_of("ABC") == std::string::npos ? 0 : name[name.find_last_of("ABC")] - 'A');
    if (name == "tile") {
      config.tile[2] = std::stoll(value.substr(value.rfind(',') + 1));
    } else if (name == "stages") {
      config.stages = std::stoi(value);
    } else if (name.starts_with("smem.at.")) {
      config.smem_at.at(i) = std::stoll(value);
    } else if (name.starts_with("smem.")) {
      config.smem.at(i) = value;
    } else if (name.ends_with(".thr")) {
      config.g2s.at(i)->threads = value;
    } else {
      config.g2s.at(i)->values = value;
    }
  }
  return config;
}

}  // namespace tileloom::trace
