// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/kernel.hpp"

#include <numeric>

#include "tileloom/error.hpp"
#include "trace/fields.hpp"
#include "trace/kernel_sizes.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::LayoutRef;
using layout::Tree;

namespace {

std::string field(const std::string& stage, Operand o) {
  return stage + "." + letter(o);
}

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::bad_input, message, hint);
}

TiledMma build_mma(const KernelConfig::Mma& mma) {
  const hw::MmaAtom& atom = in_field("mma.atom", [&]() -> const hw::MmaAtom& { return hw::mma_atom(mma.atom); });
  const Layout atom_layout = read_shape_or_layout("mma.atom_layout", mma.atom_layout, " of up to three modes");
  return TiledMma(atom, atom_layout, read_permutation("mma.permutation", mma.permutation, {}));
}

hw::ElementType parse_type(const std::string& name_of_field, const std::string& text) {
  std::string all;
  for (const auto type :
       {hw::ElementType::f16, hw::ElementType::bf16, hw::ElementType::tf32, hw::ElementType::f32, hw::ElementType::f64,
        hw::ElementType::e4m3, hw::ElementType::e5m2, hw::ElementType::s8, hw::ElementType::u8, hw::ElementType::s4,
        hw::ElementType::u4, hw::ElementType::s32, hw::ElementType::b1}) {
    if (hw::name(type) == text) {
      return type;
    }
    all += (all.empty() ? "" : ", ") + std::string(hw::name(type));
  }
  refuse(name_of_field + ": expected one of " + all + "; found '" + text + "'");
}

void check_type(const std::string& name_of_field, const std::string& text, hw::ElementType of_atom,
                const std::string& atom) {
  if (!text.empty() && parse_type(name_of_field, text) != of_atom) {
    refuse(name_of_field + ": expected " + std::string(hw::name(of_atom)) + ", which " + atom + " takes; found '" +
           text + "'");
  }
}

hw::ElementType memory_type(const KernelConfig& config, const TiledMma& mma, Operand o) {
  const std::string& text = config.types.at(static_cast<std::size_t>(o));
  const hw::ElementType of_atom = mma.operand(o).type;
  if (o == Operand::c) {
    check_type("types.accumulate", config.accumulate, of_atom, mma.atom().name);
    return text.empty() ? of_atom : parse_type("types.C", text);
  }
  check_type(field("types", o), text, of_atom, mma.atom().name);
  return of_atom;
}

void check_tile(const KernelConfig& config, const TiledMma& mma) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t step = mma.tile_size(i).value;
    if (config.tile[i] < 1 || config.tile[i] % step != 0) {
      refuse(std::string("tile: ") + "MNK"[i] + " is " + std::to_string(config.tile[i]) +
                 ", expected a multiple of the tiled MMA's " + std::to_string(step),
             config.tile[i] > 0 && step == mma.atom().k && i == 2
                 ? "pad K with zeros: a part of an instruction's K cannot be left out"
                 : "");
    }
  }
}

const hw::CopyAtom& copy_atom(const std::string& name_of_field, const std::string& text,
                              std::initializer_list<hw::CopyKind> kinds, const std::string& expected) {
  const hw::CopyAtom& atom = in_field(name_of_field, [&]() -> const hw::CopyAtom& { return hw::copy_atom(text); });
  for (const hw::CopyKind kind : kinds) {
    if (atom.kind == kind) {
      return atom;
    }
  }
  refuse(name_of_field + ": expected " + expected + ", found " + atom.name);
}

// A copy given by its thread-value layout.
TiledCopy copy_of_tv(const std::string& name_of_field, const CopyConfig& c, const hw::CopyAtom& atom,
                     const OperandPath& path) {
  const AnyLayout any = read_layout(name_of_field + ".tv", c.tv);
  const Tree tile = read_shape_or_layout(name_of_field + ".tile", c.tile, "").shape();
  const auto* tv = std::get_if<Layout>(&any);
  if (tv == nullptr || tv->rank() != 2 || has_basis(tv->stride())) {
    refuse(name_of_field + ".tv: " + to_string(any) + ", expected a layout of two modes: (thread, value) -> element");
  }
  if (tile.rank() > 2) {
    refuse(name_of_field + ".tile: " + to_string(tile) + " has rank " + std::to_string(tile.rank()) +
           ", expected rows and columns");
  }
  if (product(tile).value > path.elements()) {
    refuse(name_of_field + ".tile: " + to_string(tile) + " is larger than the CTA's tile (" +
           std::to_string(path.rows) + "," + std::to_string(path.columns) + ")");
  }
  if (size(*tv).value != product(tile).value || !is_bijective(*tv)) {
    refuse(name_of_field + ".tv: " + to_string(*tv) + " does not take each of the " +
           std::to_string(product(tile).value) + " elements of the tile " + to_string(tile) + " once");
  }
  return in_field(name_of_field, [&] { return TiledCopy(atom, path.bits, *tv, tile); });
}

TiledCopy build_copy(const std::string& name_of_field, const CopyConfig& c, const OperandPath& path,
                     std::initializer_list<hw::CopyKind> kinds, const std::string& expected) {
  const hw::CopyAtom& atom = copy_atom(name_of_field + ".atom", c.atom, kinds, expected);
  if (!c.tv.empty()) {
    return copy_of_tv(name_of_field, c, atom, path);
  }
  const Layout threads = read_shape_or_layout(name_of_field + ".thr", c.threads, "");
  const Layout values = read_shape_or_layout(name_of_field + ".val", c.values, "");
  return in_field(name_of_field, [&] { return make_tiled_copy(atom, path.bits, threads, values); });
}

// The shape of a copy's tile must divide that of the tensor.
void check_divides(const std::string& name_of_field, const TiledCopy& copy, const AnyLayout& tensor) {
  for (std::size_t i = 0; i < copy.tiler().rank(); ++i) {
    const std::int64_t step = product(copy.tiler()[i]).value;
    if (mode_size(tensor, i) % step != 0) {
      refuse(name_of_field + ": the threads copy " + to_string(copy.tiler()) + " at a time, which does not divide " +
                 to_string(product_each(domain(tensor).shape())),
             "choose thr and val whose product divides the tile");
    }
  }
}

AnyLayout read_shared(const KernelConfig& config, const OperandPath& path) {
  const std::size_t i = static_cast<std::size_t>(path.operand);
  const std::string name = field("smem", path.operand);
  AnyLayout l = read_layout(name, config.smem[i]);
  const bool output = path.operand == Operand::c;
  const bool fits = domain(l).rank() >= 2 && domain(l).rank() <= 3 &&
                    (output ? path.rows % mode_size(l, 0) == 0 && path.columns % mode_size(l, 1) == 0
                            : mode_size(l, 0) == path.rows && mode_size(l, 1) == path.columns);
  if (!fits) {
    refuse(name + ": shape " + to_string(product_each(domain(l).shape())) + ", expected " +
           (output ? "a part of " : "") + "the tile's (" + std::to_string(path.rows) + "," +
           std::to_string(path.columns) + ")" + (output ? "" : " and a mode for the stages"));
  }
  if (!output && mode_size(l, 2) != config.stages) {
    refuse(name + ": a third mode of " + std::to_string(mode_size(l, 2)) + " stages, expected " +
               std::to_string(config.stages),
           "stages says " + std::to_string(config.stages));
  }
  return l;
}

std::int64_t shared_end(const OperandPath& path) {
  return path.shared_at + cosize(domain(*path.shared)).value * path.bits / 8;
}

void place_shared(const KernelConfig& config, Kernel& kernel) {
  std::int64_t operands_end = 0;
  for (OperandPath& path : kernel.operands) {
    if (!path.shared) {
      continue;
    }
    const bool output = path.operand == Operand::c;
    path.shared_at = config.smem_at.at(static_cast<std::size_t>(path.operand)).value_or(output ? 0 : operands_end);
    operands_end = output ? operands_end : std::max(operands_end, shared_end(path));
    kernel.shared_bytes = std::max(kernel.shared_bytes, shared_end(path));
  }
}

void require_shared(const std::string& name_of_field, const OperandPath& path) {
  if (!path.shared) {
    refuse(name_of_field + ": a copy through shared memory, but the configuration has no smem." +
           std::string(1, letter(path.operand)));
  }
}

AnyLayout plain_tile(const OperandPath& path) {
  return make_layout(Tree::tuple({Int::make_static(path.rows), Int::make_static(path.columns)}));
}

void build_operand_copies(const KernelConfig& config, const TiledMma& mma, OperandPath& path) {
  const std::size_t i = static_cast<std::size_t>(path.operand);
  if (config.g2s.at(i)) {
    const std::string name = field("g2s", path.operand);
    require_shared(name, path);
    path.fill = build_copy(name, *config.g2s.at(i), path,
                           {hw::CopyKind::cp_async, hw::CopyKind::universal, hw::CopyKind::automatic},
                           "a cp.async or a plain copy");
    check_divides(name, *path.fill, *path.shared);
  }
  if (!config.s2r.at(i).empty()) {
    const std::string name = field("s2r", path.operand);
    require_shared(name, path);
    path.drain = tiled_copy_for(
        mma, path.operand,
        copy_atom(name, config.s2r.at(i), {hw::CopyKind::ldmatrix, hw::CopyKind::universal, hw::CopyKind::automatic},
                  "an ldmatrix or a plain copy"));
  }
}

void build_output_copies(const KernelConfig& config, const TiledMma& mma, OperandPath& path) {
  if (!config.r2s.empty()) {
    require_shared("epilogue.r2s", path);
    const hw::CopyAtom& atom = copy_atom("epilogue.r2s", config.r2s,
                                         {hw::CopyKind::stmatrix, hw::CopyKind::universal, hw::CopyKind::automatic},
                                         "an stmatrix or a plain copy");
    path.fill = in_field("epilogue.r2s", [&] {
      // The accumulators are converted to C's type first.
      return TiledCopy(atom, path.bits, mma.layout_tv(Operand::c), Tree::tuple({mma.tile_size(0), mma.tile_size(1)}));
    });
    check_divides("epilogue.r2s", *path.fill, *path.shared);
  }
  if (config.s2g) {
    require_shared("epilogue.s2g", path);
    path.drain = build_copy("epilogue.s2g", *config.s2g, path, {hw::CopyKind::universal, hw::CopyKind::automatic},
                            "a plain copy");
    check_divides("epilogue.s2g", *path.drain, *path.shared);
  }
  if (config.r2g) {
    if (path.shared) {
      refuse("epilogue.r2g: a store from registers, but the configuration has smem.C",
             "use epilogue.r2s and epilogue.s2g, or take smem.C away");
    }
    path.drain = build_copy("epilogue.r2g", *config.r2g, path, {hw::CopyKind::universal, hw::CopyKind::automatic},
                            "a plain copy");
    check_divides("epilogue.r2g", *path.drain, plain_tile(path));
  }
}

Layout build_fragment(const TiledMma& mma, const OperandPath& path) {
  AnyLayout tile = plain_tile(path);
  if (path.operand != Operand::c && (path.shared || path.global)) {
    tile = path.shared ? *path.shared : *path.global;
    if (domain(tile).rank() == 3) {
      tile = slice_and_offset(Tree::tuple({Int::make_any(), Int::make_any(), layout::static_0}), tile).layout;
    }
  }
  return mma.make_fragment(path.operand, mma.partition(path.operand, tile, Int::make_dynamic(0)).layout);
}

}  // namespace

std::int64_t mode_size(const AnyLayout& tensor, std::size_t mode) {
  const Layout& l = domain(tensor);
  return mode < l.rank() ? size(LayoutRef(l)[mode]).value : 1;
}

std::int64_t offset_at(const AnyLayout& tensor, std::int64_t row, std::int64_t column, std::int64_t third) {
  const std::int64_t rows = mode_size(tensor, 0);
  const std::int64_t index = row + rows * (column + mode_size(tensor, 1) * third);
  return std::visit([&](const auto& l) { return l(index); }, tensor);
}

std::int64_t offset_before_swizzle(const AnyLayout& tensor, std::int64_t row, std::int64_t column, std::int64_t third) {
  const auto* swizzled = std::get_if<layout::ComposedLayout>(&tensor);
  return (swizzled != nullptr ? swizzled->offset().value.value : 0) +
         offset_at(AnyLayout(domain(tensor)), row, column, third);
}

Kernel build_kernel(const KernelConfig& config, const layout::SymbolValues& sizes) {
  const hw::Arch arch = in_field("arch", [&] { return hw::parse_arch(config.arch); });
  Kernel kernel{config, arch, build_mma(config.mma), {}, {}, 0};
  check_tile(config, kernel.mma);
  const Matrices matrices = read_matrices(config, sizes);
  kernel.sizes = matrices.sizes;
  for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
    const auto i = static_cast<std::size_t>(o);
    OperandPath& path = kernel.operands.at(i);
    path.operand = o;
    path.type = memory_type(config, kernel.mma, o);
    path.bits = hw::bits(path.type);
    path.rows = config.tile.at(modes_of(o).first);
    path.columns = config.tile.at(modes_of(o).second);
    path.matrix_symbols = matrices.symbols.at(i);
    path.matrix = matrices.layouts.at(i);
    path.global = matrices.tiles.at(i);
    if (!config.smem[i].empty()) {
      path.shared = read_shared(config, path);
    }
    o == Operand::c ? build_output_copies(config, kernel.mma, path) : build_operand_copies(config, kernel.mma, path);
    path.fragment = build_fragment(kernel.mma, path);
  }
  place_shared(config, kernel);
  return kernel;
}

}  // namespace tileloom::trace
