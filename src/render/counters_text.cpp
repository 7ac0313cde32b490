// SPDX-License-Identifier: Apache-2.0
#include "render/counters_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "render/atom_table.hpp"

namespace tileloom::render {
namespace {

using emu::GlobalCount;
using emu::SharedCount;

std::string number(std::uint64_t n, bool there) {
  return there ? std::to_string(n) : "";
}

std::string lanes_text(std::uint64_t lanes, std::uint64_t executions) {
  return fmt::format("{:.1f}", static_cast<double>(lanes) / static_cast<double>(executions));
}

std::string wavefronts_text(const SharedCount& s) {
  if (s.requests == 0) return "";
  return s.wavefronts_low == s.wavefronts_high ? std::to_string(s.wavefronts_low)
                                               : fmt::format("{}..{}", s.wavefronts_low, s.wavefronts_high);
}

// Words of the busiest bank over those of the mean one.
std::string bank_text(const SharedCount& s) {
  const std::uint64_t all = std::accumulate(s.bank_words.begin(), s.bank_words.end(), std::uint64_t{0});
  if (all == 0) return "";
  const auto busiest = static_cast<double>(*std::ranges::max_element(s.bank_words));
  return fmt::format("{:.2f}", busiest * 32 / static_cast<double>(all));
}

void totals_text(std::ostream& out, const emu::Counters& counters) {
  TextTable table{{"access", "executed", "lanes", "wavefronts", "ideal", "bank/mean", "sectors", "ideal", "bytes"}, {}};
  for (const emu::ClassCount& c : emu::by_class(counters)) {
    const bool shared = c.shared.requests != 0;
    const bool global = c.global.requests != 0;
    table.rows.push_back({c.name, std::to_string(c.executions), lanes_text(c.lanes, c.executions),
                          wavefronts_text(c.shared), number(c.shared.ideal, shared), bank_text(c.shared),
                          number(c.global.sectors, global), number(c.global.ideal_sectors, global),
                          number(global ? c.global.bytes : c.shared.bytes, shared || global)});
  }
  print_table(out, table, TableFormat::text);
}

// The row's cells after its name.
template <class Counted>
std::vector<std::string> row_of(std::string name, const Counted& c) {
  const bool shared = c.shared.requests != 0;
  const bool global = c.global.requests != 0;
  return {std::move(name),
          std::to_string(c.executions),
          lanes_text(c.lanes, c.executions),
          wavefronts_text(c.shared),
          number(c.shared.ideal, shared),
          number(c.global.sectors, global),
          number(c.global.ideal_sectors, global)};
}

// Without the words that every such instruction has.
std::string short_opcode(std::string opcode) {
  for (const std::string word : {".sync", ".aligned"}) {
    if (const std::size_t at = opcode.find(word); at != std::string::npos) opcode.erase(at, word.size());
  }
  return opcode;
}

bool belongs(const emu::InstructionCount& i, const emu::LineCount& line) {
  return i.at.file.empty() ? i.at.ptx_file == line.file && i.at.ptx_line == line.line
                           : i.at.file == line.file && i.at.line == line.line;
}

}  // namespace

void counters_text(std::ostream& out, const emu::Counters& counters, CountersBy by) {
  totals_text(out, counters);
  out << '\n';
  TextTable table{{"source line", "executed", "lanes", "wavefronts", "ideal", "sectors", "ideal"}, {}};
  for (const emu::LineCount& line : emu::by_line(counters)) {
    table.rows.push_back(row_of(fmt::format("{}:{}", line.file, line.line), line));
    if (by == CountersBy::line) continue;
    for (const emu::InstructionCount& i : counters.instructions) {
      if (belongs(i, line)) {
        table.rows.push_back(row_of(fmt::format("  {:>5} {}", i.at.ptx_line, short_opcode(i.at.opcode)), i));
      }
    }
  }
  print_table(out, table, TableFormat::text);
  out << "Sums over all warps and CTAs; lanes of one execution; wavefronts of shared, sectors of global memory.\n";
}

}  // namespace tileloom::render
