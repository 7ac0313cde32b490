// SPDX-License-Identifier: Apache-2.0
#include "support/ptx_mutation.hpp"

#include <algorithm>

namespace tileloom::test {
namespace {

// Calls f(line number, begin, end) for each line.
template <class F>
void for_lines(std::string_view text, F f) {
  std::uint32_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    f(number, begin, end);
    begin = end + 1;
  }
}

// The instruction in a line, with single spaces: `bar.sync 0`.
std::string instruction_in(std::string_view line) {
  std::string words;
  bool gap = false;
  for (const char c : line.substr(0, line.find(';'))) {
    const bool space = c == ' ' || c == '\t';
    if (!space && gap && !words.empty()) words += ' ';
    if (!space) words += c;
    gap = space;
  }
  return words;
}

constexpr std::string_view wait_group = "cp.async.wait_group ";

std::string weaker(const std::string& wait) {
  if (wait == "cp.async.wait_all") return std::string(wait_group) + "1";
  return std::string(wait_group) + std::to_string(std::stoi(wait.substr(wait_group.size())) + 1);
}

std::string entry_name_in(std::string_view line) {
  constexpr std::string_view word = ".entry ";
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + word.size());
  return std::string(rest.substr(0, rest.find_first_of("( \t")));
}

}  // namespace

std::string to_string(const PtxMutation& m) {
  return m.instruction + (m.replacement.empty() ? " removed" : " -> " + m.replacement);
}

std::vector<PtxMutation> sync_mutations(std::string_view ptx) {
  std::vector<PtxMutation> made;
  std::string entry;
  for_lines(ptx, [&](std::uint32_t number, std::size_t begin, std::size_t end) {
    const std::string_view line = ptx.substr(begin, end - begin);
    if (std::string name = entry_name_in(line); !name.empty()) entry = std::move(name);
    const std::string instruction = instruction_in(line);
    const bool wait = instruction.starts_with("cp.async.wait_");
    if (!wait && !instruction.starts_with("bar.sync") && instruction != "cp.async.commit_group") return;
    made.push_back({number, entry, instruction, ""});
    if (wait) made.push_back({number, entry, instruction, weaker(instruction)});
  });
  return made;
}

std::string mutated(std::string_view ptx, const PtxMutation& mutation) {
  std::string text(ptx);
  for_lines(ptx, [&](std::uint32_t number, std::size_t begin, std::size_t end) {
    if (number != mutation.line) return;
    text.replace(begin, end - begin, mutation.replacement.empty() ? "" : mutation.replacement + ";");
  });
  return text;
}

}  // namespace tileloom::test
