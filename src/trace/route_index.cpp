// SPDX-License-Identifier: Apache-2.0
#include "trace/route_index.hpp"

namespace tileloom::trace {

using hw::Holding;
using layout::AnyLayout;
using layout::Layout;

namespace {

int count(const Layout& l) {
  return static_cast<int>(size(l).value);
}

std::vector<std::int64_t> evaluated(const Layout& l) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size(l).value));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = l(static_cast<std::int64_t>(i));
  }
  return all;
}

}  // namespace

FragmentIndex::FragmentIndex(const AnyLayout& fragment, const hw::MmaOperand& operand)
    : values(static_cast<int>(mode_size(fragment, 0))),
      first(static_cast<int>(mode_size(fragment, 1))),
      slots(evaluated(domain(fragment))) {
  for (int v = 0; v < values; ++v) {
    bits.push_back(hw::register_bits(operand, v));
  }
}

EndIndex::EndIndex(const TiledCopy& copy, End end, std::int64_t rows, std::int64_t columns)
    : table(copy, end, rows, columns),
      together(count((end == End::source ? copy.atom_source() : copy.atom_destination())[1])) {}

CopyPlace EndIndex::instruction(Holding h, int bits) const {
  CopyPlace c;
  const int first = h.value / together * together;
  c.thread = h.thread;
  c.first = table.at(h.thread, first);
  c.last = table.at(h.thread, first + together - 1);
  c.position = h.value - first;
  c.bytes = together * bits / 8;
  return c;
}

RegisterCopyIndex::RegisterCopyIndex(const OperandPath& path, const TiledCopy& copy)
    : source(copy, End::source, path.rows, path.columns),
      destination(copy, End::destination, path.rows, path.columns),
      group(count(copy.atom_reference()[0])),
      reference_values(count(copy.atom_reference()[1])),
      values_in_tile(count(copy.layout_tv(End::destination)[1])),
      e(evaluated(copy.atom_destination())),
      tv(evaluated(right_inverse(copy.atom_reference()))),
      q(evaluated(copy.layout_tv())),
      threads(static_cast<int>(copy.threads().value)) {
  const AnyLayout registers = copy.retile(path.fragment);
  values = static_cast<int>(mode_size(registers, 0));
  first = static_cast<int>(mode_size(registers, 1));
}

RouteTracer::Index::Index(const Kernel& kernel) {
  for (const OperandPath& p : kernel.operands) {
    const auto i = static_cast<std::size_t>(p.operand);
    const bool output = p.operand == Operand::c;
    registers.emplace_back(kernel.mma, p.operand, p.rows, p.columns);
    fragments.emplace_back(p.fragment, output ? kernel.mma.atom().d : kernel.mma.operand(p.operand));
    if (output) {
      if (p.fill) {
        r2s.emplace(p, *p.fill);
      }
      if (p.drain) {
        to_global.emplace(*p.drain, End::source, p.shared ? mode_size(*p.shared, 0) : p.rows,
                          p.shared ? mode_size(*p.shared, 1) : p.columns);
      }
      continue;
    }
    if (p.fill) {
      fill.at(i).emplace(*p.fill, End::destination, p.rows, p.columns);
    }
    if (p.drain) {
      drain.at(i).emplace(p, *p.drain);
    }
  }
}

}  // namespace tileloom::trace
