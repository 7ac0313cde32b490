// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "tileloom/emu/counters.hpp"

namespace tileloom::emu {
namespace {

template <class Sum>
void add(Sum& sum, const InstructionCount& i) {
  sum.executions += i.executions;
  sum.lanes += i.lanes;
  sum.shared += i.shared;
  sum.global += i.global;
}

std::string name_of(const InstructionCount& i) {
  const std::string name(to_string(i.access));
  const bool either =
      i.access == AccessClass::load || i.access == AccessClass::store || i.access == AccessClass::atomic;
  if (!either || (i.shared.requests != 0) == (i.global.requests != 0)) return name;
  return name + (i.shared.requests != 0 ? ".shared" : ".global");
}

}  // namespace

SharedCount& SharedCount::operator+=(const SharedCount& other) {
  requests += other.requests;
  wavefronts_low += other.wavefronts_low;
  wavefronts_high += other.wavefronts_high;
  profiled += other.profiled;
  ideal += other.ideal;
  bytes += other.bytes;
  for (std::size_t bank = 0; bank < bank_words.size(); ++bank) bank_words[bank] += other.bank_words[bank];
  exact &= other.exact;
  return *this;
}

GlobalCount& GlobalCount::operator+=(const GlobalCount& other) {
  requests += other.requests;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  bytes += other.bytes;
  return *this;
}

std::string_view to_string(AccessClass access) {
  switch (access) {
    case AccessClass::load:
      return "ld";
    case AccessClass::store:
      return "st";
    case AccessClass::ldmatrix:
      return "ldmatrix";
    case AccessClass::stmatrix:
      return "stmatrix";
    case AccessClass::cp_async:
      return "cp.async";
    case AccessClass::atomic:
      return "atomic";
    default:
      return "other";
  }
}

std::vector<LineCount> by_line(const Counters& counters) {
  std::map<std::pair<std::string, std::uint32_t>, LineCount> lines;
  for (const InstructionCount& i : counters.instructions) {
    const bool known = !i.at.file.empty();
    const std::pair key(known ? i.at.file : i.at.ptx_file, known ? i.at.line : i.at.ptx_line);
    LineCount& line = lines[key];
    line.file = key.first;
    line.line = key.second;
    ++line.instructions;
    add(line, i);
    const bool accesses = i.access != AccessClass::none;
    if (accesses && std::ranges::find(line.opcodes, i.at.opcode) == line.opcodes.end()) {
      line.opcodes.push_back(i.at.opcode);
    }
  }
  std::vector<LineCount> made;
  for (auto& [key, line] : lines) made.push_back(std::move(line));
  return made;
}

std::vector<ClassCount> by_class(const Counters& counters) {
  std::map<std::pair<int, std::string>, ClassCount> classes;
  for (const InstructionCount& i : counters.instructions) {
    constexpr int last = 256;
    const std::pair key(i.access == AccessClass::none ? last : static_cast<int>(i.access), name_of(i));
    ClassCount& sum = classes[key];
    sum.name = key.second;
    sum.access = i.access;
    add(sum, i);
  }
  std::vector<ClassCount> made;
  for (const auto& [order, sum] : classes) made.push_back(sum);
  return made;
}

}  // namespace tileloom::emu
