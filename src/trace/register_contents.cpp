// SPDX-License-Identifier: Apache-2.0
// From a register to the elements in it.
#include <algorithm>

#include "tileloom/error.hpp"
#include "trace/route_index.hpp"

namespace tileloom::trace {

namespace {

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::bad_input, message, hint);
}

struct RegisterName {
  Operand operand;
  int number;
};

RegisterName parse_name(const hw::MmaAtom& atom, const std::string& name) {
  const std::string digits = name.size() > 1 ? name.substr(1) : "";
  const bool number =
      !digits.empty() && digits.size() < 6 && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t letter = std::string_view("abcd").find(name.empty() ? ' ' : name.front());
  if (!number || letter == std::string_view::npos) {
    refuse("register '" + name + "', expected a letter of a, b, c, d and a number", "for example a2");
  }
  const Operand operand = letter == 0 ? Operand::a : letter == 1 ? Operand::b : Operand::c;
  const hw::MmaOperand& o = letter == 0 ? atom.a : letter == 1 ? atom.b : atom.d;
  const int registers = o.values / std::max(1, o.per_register());
  const int found = std::stoi(digits);
  if (found >= registers) {
    refuse("register " + name + ", expected " + name.front() + "0 to " + name.front() + std::to_string(registers - 1) +
           ": " + atom.name + " has " + std::to_string(registers));
  }
  return {operand, found};
}

}  // namespace

std::vector<RegisterContent> RouteTracer::contents(const std::string& name, int warp, int lane) const {
  const auto [operand, number] = parse_name(kernel_->mma.atom(), name);
  const TileTable& table = registers(operand);
  const bool one = lane >= 0 && lane < warp_size && warp >= 0 && warp < INT32_MAX / warp_size;
  const int index = one ? table.index_of(warp_size * warp + lane) : table.threads();
  if (index == table.threads()) {
    refuse("warp " + std::to_string(warp) + ", lane " + std::to_string(lane) + ": the tiled MMA has no such thread",
           "it has " + std::to_string(table.threads()) + " threads");
  }
  const hw::MmaOperand& o = operand == Operand::c ? kernel_->mma.atom().d : kernel_->mma.operand(operand);
  const int per = o.per_register();
  const int of_atom = index_->fragments.at(static_cast<std::size_t>(operand)).values;
  std::vector<RegisterContent> all;
  for (int first = number * per; first < table.values(); first += of_atom) {
    RegisterContent c{place(operand, {index, first}).mma, first, {}, {}};
    for (int v = first; v < first + per; ++v) {
      c.slots.push_back(place(operand, {index, v}).slot);
      c.elements.push_back(table.at(index, v));
    }
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace tileloom::trace
