// SPDX-License-Identifier: Apache-2.0
#include "emu/check/race_log.hpp"

#include <string>
#include <tuple>
#include <utility>

namespace tileloom::emu {
namespace {

// Instructions that the source does not tell apart have one name.
using SourceName = std::tuple<std::string, std::string, std::uint32_t>;

SourceName source_name(const InstructionPlace& at) {
  return {at.opcode, at.file.empty() ? at.ptx_file : at.file, at.file.empty() ? at.ptx_line : at.line};
}

bool is_better_example(const Race& a, const Race& b) {
  const auto rank = [](const Race& race) { return std::pair(race.first.warp == race.second.warp, race.cta); };
  return rank(a) < rank(b);
}

// Counts `other` too, and shows the read of the lower CTA.
void join(EarlyRead& read, const EarlyRead& other) {
  const std::uint64_t occurrences = read.occurrences + other.occurrences;
  if (other.cta < read.cta) read = other;
  read.occurrences = occurrences;
}

// Counts `other` too, and shows the better example of the two.
void join(Race& race, const Race& other) {
  const std::uint64_t occurrences = race.occurrences + other.occurrences;
  if (is_better_example(other, race)) race = other;
  race.occurrences = occurrences;
}

RacingAccess describe(const Racer& racer, const Program& program) {
  return {racer.verb, program.instruction_place(racer.op), racer.warp, racer.lane};
}

std::array<std::uint32_t, 3> coordinates(std::uint64_t cta, const Dim3& grid) {
  return {static_cast<std::uint32_t>(cta % grid.x), static_cast<std::uint32_t>(cta / grid.x % grid.y),
          static_cast<std::uint32_t>(cta / grid.x / grid.y)};
}

Finding describe(const Race& race, const Program& program, const Dim3& grid) {
  Finding f;
  f.hazard = race.hazard;
  f.first = describe(race.first, program);
  f.second = describe(race.second, program);
  f.cta = coordinates(race.cta, grid);
  f.first_byte = race.first_byte;
  f.last_byte = race.last_byte;
  f.occurrences = race.occurrences;
  f.remedy = race.remedy;
  return f;
}

}  // namespace

void RaceLog::add(const Race& race) {
  const auto [at, fresh] = races_.try_emplace({race.first.op, race.second.op, race.hazard}, race);
  if (!fresh) join(at->second, race);
}

void RaceLog::add(const EarlyRead& read) {
  const auto [at, fresh] = early_reads_.try_emplace(read.reader.op, read);
  if (!fresh) join(at->second, read);
}

void RaceLog::merge(const RaceLog& other) {
  for (const auto& [key, race] : other.races_) add(race);
  for (const auto& [op, read] : other.early_reads_) add(read);
}

std::vector<UninitialisedRead> RaceLog::uninitialised_reads(const Program& program, const Dim3& grid) const {
  std::vector<EarlyRead> groups;
  std::map<SourceName, std::size_t> known;
  for (const auto& [op, read] : early_reads_) {
    const auto [at, fresh] = known.try_emplace(source_name(program.instruction_place(op)), groups.size());
    if (fresh) {
      groups.push_back(read);
    } else {
      join(groups[at->second], read);
    }
  }
  std::vector<UninitialisedRead> made;
  for (const EarlyRead& read : groups) {
    made.push_back({describe(read.reader, program), coordinates(read.cta, grid), read.first_byte, read.last_byte,
                    read.occurrences});
  }
  return made;
}

std::vector<Finding> RaceLog::findings(const Program& program, const Dim3& grid) const {
  struct Group {
    Race race;
    std::uint32_t pairs = 1;
  };
  std::vector<Group> groups;
  std::map<std::tuple<SourceName, SourceName, Hazard>, std::size_t> known;
  for (const auto& [key, race] : races_) {
    const auto& [first, second, hazard] = key;
    const auto [at, fresh] = known.try_emplace(
        {source_name(program.instruction_place(first)), source_name(program.instruction_place(second)), hazard},
        groups.size());
    if (fresh) {
      groups.push_back({race});
      continue;
    }
    join(groups[at->second].race, race);
    ++groups[at->second].pairs;
  }
  std::vector<Finding> made;
  for (const Group& group : groups) {
    made.push_back(describe(group.race, program, grid));
    made.back().instruction_pairs = group.pairs;
  }
  return made;
}

}  // namespace tileloom::emu
