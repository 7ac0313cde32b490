// SPDX-License-Identifier: Apache-2.0
#include "cli/emulate_ignore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/batch_file.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

const std::vector<std::string> kinds{"race", "uninitialised-read"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    parts.push_back(part);
  }
  return parts;
}

IgnoreEntry parse_entry(const std::string& line, const std::string& file, std::uint32_t number) {
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    throw Error(ErrorKind::bad_input, fmt::format("{}:{}: {}", file, number, message), hint);
  };
  IgnoreEntry entry{file, number, {}, {}, {}};
  std::istringstream words(line);
  std::string places;
  words >> entry.kind >> places >> std::ws;
  std::getline(words, entry.reason);
  entry.places = split(places, ',');
  if (std::ranges::find(kinds, entry.kind) == kinds.end()) {
    refuse(fmt::format("expected race or uninitialised-read, found '{}'", entry.kind), did_you_mean(entry.kind, kinds));
  }
  const std::size_t most = entry.kind == "race" ? 2 : 1;
  if (entry.places.empty() || entry.places.size() > most) {
    refuse(fmt::format("expected a place{} after {}, found '{}'", most == 2 ? ", or two with a comma," : "", entry.kind,
                       places),
           "for example race k.cu:12,k.cu:40 both write the same value");
  }
  if (entry.reason.empty()) {
    refuse(fmt::format("expected a reason after {}, found none", places), "say why this is right as it is");
  }
  return entry;
}

// `*` stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return pattern == text;
  }
  if (!text.starts_with(pattern.substr(0, star))) {
    return false;
  }
  for (std::size_t skip = star; skip <= text.size(); ++skip) {
    if (matches(pattern.substr(star + 1), text.substr(skip))) {
      return true;
    }
  }
  return false;
}

bool matches(const std::string& place, const emu::InstructionPlace& at) {
  return matches(place, at.file) || matches(place, fmt::format("{}:{}", at.file, at.line)) ||
         matches(place, at.ptx_file) || matches(place, fmt::format("{}:{}", at.ptx_file, at.ptx_line));
}

bool matches(const IgnoreEntry& entry, const emu::Finding& f) {
  if (entry.kind != "race") {
    return false;
  }
  const auto both = [&](const emu::RacingAccess& one, const emu::RacingAccess& other) {
    return matches(entry.places.front(), one.at) && (entry.places.size() < 2 || matches(entry.places[1], other.at));
  };
  return both(f.first, f.second) || both(f.second, f.first);
}

bool matches(const IgnoreEntry& entry, const emu::UninitialisedRead& read) {
  return entry.kind == "uninitialised-read" && matches(entry.places.front(), read.reader.at);
}

// Moves what the first entry that fits takes.
template <class Found>
void take(std::vector<Found>& all, const std::vector<IgnoreEntry>& entries, std::vector<Found>& ignored,
          std::vector<std::size_t>& by) {
  std::vector<Found> left;
  for (Found& found : all) {
    const auto entry = std::ranges::find_if(entries, [&](const IgnoreEntry& e) { return matches(e, found); });
    if (entry == entries.end()) {
      left.push_back(std::move(found));
      continue;
    }
    ignored.push_back(std::move(found));
    by.push_back(static_cast<std::size_t>(entry - entries.begin()));
  }
  all = std::move(left);
}

}  // namespace

std::vector<IgnoreEntry> read_ignore_file(const std::string& path) {
  std::istringstream lines(read_text(path));
  std::vector<IgnoreEntry> entries;
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') {
      continue;
    }
    entries.push_back(parse_entry(line, path, number));
  }
  return entries;
}

IgnoreResult take_ignored(emu::LaunchReport& report, const std::vector<IgnoreEntry>& entries) {
  IgnoreResult made;
  take(report.findings, entries, made.findings, made.finding_entries);
  take(report.uninitialised_reads, entries, made.uninitialised_reads, made.read_entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool used = std::ranges::count(made.finding_entries, i) + std::ranges::count(made.read_entries, i) > 0;
    if (!used) {
      made.unused.push_back(i);
    }
  }
  return made;
}

}  // namespace tileloom::cli
