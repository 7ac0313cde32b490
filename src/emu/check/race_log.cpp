// SPDX-License-Identifier: Apache-2.0
#include "emu/check/race_log.hpp"

#include <bit>
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
  const auto rank = [](const Race& race) {
    const bool one_warp = race.first.cta == race.second.cta && race.first.warp == race.second.warp;
    return std::tuple(one_warp, race.second.cta, race.first.cta);
  };
  return rank(a) < rank(b);
}

// Counts `other` too, and shows the read of the lower CTA.
void join(EarlyRead& read, const EarlyRead& other) {
  const std::uint64_t occurrences = read.occurrences + other.occurrences;
  if (other.reader.cta < read.reader.cta) read = other;
  read.occurrences = occurrences;
}

// Counts `other` too, and shows the better example of the two.
void join(Race& race, const Race& other) {
  const std::uint64_t occurrences = race.occurrences + other.occurrences;
  if (is_better_example(other, race)) race = other;
  race.occurrences = occurrences;
}

std::array<std::uint32_t, 3> coordinates(std::uint64_t cta, const Dim3& grid) {
  return {static_cast<std::uint32_t>(cta % grid.x), static_cast<std::uint32_t>(cta / grid.x % grid.y),
          static_cast<std::uint32_t>(cta / grid.x / grid.y)};
}

RacingAccess describe(const Racer& racer, const Program& program, const Dim3& grid) {
  return {racer.verb, program.instruction_place(racer.op), racer.warp, racer.lane, coordinates(racer.cta, grid)};
}

// Sets buffer, first_byte and last_byte.
template <class Found>
void describe(const Bytes& bytes, Found& found) {
  if (bytes.region != nullptr) found.buffer = bytes.region->label;
  found.first_byte = bytes.first;
  found.last_byte = bytes.last;
}

Finding describe(const Race& race, const Program& program, const Dim3& grid) {
  Finding f;
  f.hazard = race.hazard;
  f.first = describe(race.first, program, grid);
  f.second = describe(race.second, program, grid);
  describe(race.bytes, f);
  f.occurrences = race.occurrences;
  f.remedy = race.remedy;
  return f;
}

AccessVerb verb_of(const AccessRecord& record) {
  if (record.copy) return AccessVerb::copy;
  if (!record.writes) return AccessVerb::read;
  return record.reads ? AccessVerb::update : AccessVerb::write;
}

}  // namespace

Racer racer(const AccessRecord& record, unsigned lane, std::uint64_t cta) {
  return {verb_of(record), record.op, record.warp, lane, cta};
}

Hazard hazard_of(const AccessRecord& earlier, const AccessRecord& now) {
  if (!earlier.writes) return Hazard::write_after_read;
  return now.writes && !now.reads ? Hazard::write_after_write : Hazard::read_after_write;
}

Bytes bytes_in(const Region* region, std::uint64_t granule, std::uint32_t mask) {
  const std::uint64_t origin = granule * granule_bytes - (region == nullptr ? 0 : region->base);
  return {region, origin + static_cast<std::uint64_t>(std::countr_zero(mask)),
          origin + static_cast<std::uint64_t>(std::bit_width(mask)) - 1};
}

RaceLog::Key RaceLog::key_of(const Race& race) {
  return {race.first.op, race.second.op, race.hazard, race.bytes.base(), race.remedy == Remedy::one_lane};
}

void RaceLog::add(const Race& race) {
  const auto [at, fresh] = races_.try_emplace(key_of(race), race);
  if (!fresh) join(at->second, race);
}

void RaceLog::add(const EarlyRead& read) {
  const auto [at, fresh] = early_reads_.try_emplace({read.reader.op, read.bytes.base()}, read);
  if (!fresh) join(at->second, read);
}

void RaceLog::merge(const RaceLog& other) {
  for (const auto& [key, race] : other.races_) add(race);
  for (const auto& [op, read] : other.early_reads_) add(read);
}

std::vector<UninitialisedRead> RaceLog::uninitialised_reads(const Program& program, const Dim3& grid) const {
  std::vector<EarlyRead> groups;
  std::map<std::pair<SourceName, std::uint64_t>, std::size_t> known;
  for (const auto& [key, read] : early_reads_) {
    const auto& [op, base] = key;
    const auto [at, fresh] = known.try_emplace({source_name(program.instruction_place(op)), base}, groups.size());
    if (fresh) {
      groups.push_back(read);
    } else {
      join(groups[at->second], read);
    }
  }
  std::vector<UninitialisedRead> made;
  for (const EarlyRead& read : groups) {
    UninitialisedRead& found = made.emplace_back();
    found.reader = describe(read.reader, program, grid);
    describe(read.bytes, found);
    found.occurrences = read.occurrences;
  }
  return made;
}

std::vector<Finding> RaceLog::findings(const Program& program, const Dim3& grid) const {
  struct Group {
    Race race;
    std::uint32_t pairs = 1;
  };
  std::vector<Group> groups;
  std::map<std::tuple<SourceName, SourceName, Hazard, std::uint64_t, bool>, std::size_t> known;
  for (const auto& [key, race] : races_) {
    const auto& [first, second, hazard, base, one_store] = key;
    const auto [at, fresh] =
        known.try_emplace({source_name(program.instruction_place(first)),
                           source_name(program.instruction_place(second)), hazard, base, one_store},
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
