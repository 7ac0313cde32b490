// SPDX-License-Identifier: Apache-2.0
#include "support/ptx_mutation.hpp"

#include <algorithm>

namespace tileloom::test {
namespace {

// An instruction in its line, with single spaces: `bar.sync 0`; empty where the line has none.
struct Line {
  std::uint32_t number = 0;  // from 1
  std::string text;
  std::string entry;
};

std::string single_spaced(std::string_view line) {
  std::string words;
  bool gap = false;
  for (const char c : line) {
    const bool space = c == ' ' || c == '\t';
    if (!space && gap && !words.empty()) words += ' ';
    if (!space) words += c;
    gap = space;
  }
  return words;
}

std::string entry_name_in(const std::string& line) {
  constexpr std::string_view word = ".entry ";
  const std::size_t at = line.find(word);
  if (at == std::string::npos) return {};
  const std::string rest = line.substr(at + word.size());
  return rest.substr(0, rest.find_first_of("( "));
}

std::vector<Line> lines_of(std::string_view ptx) {
  std::vector<Line> lines;
  std::string entry;
  for (std::size_t begin = 0; begin < ptx.size();) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size());
    std::string text = single_spaced(ptx.substr(begin, end - begin));
    if (std::string name = entry_name_in(text); !name.empty()) entry = std::move(name);
    lines.push_back({static_cast<std::uint32_t>(lines.size()) + 1, text.substr(0, text.find(';')), entry});
    begin = end + 1;
  }
  return lines;
}

constexpr std::string_view wait_group = "cp.async.wait_group ";

std::string weaker(const std::string& wait) {
  if (wait == "cp.async.wait_all") return std::string(wait_group) + "1";
  return std::string(wait_group) + std::to_string(std::stoi(wait.substr(wait_group.size())) + 1);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool accesses_shared(const std::string& text) {
  return has(text, "ldmatrix.") || has(text, "ld.shared") || has(text, "st.shared") || has(text, "cp.async.c") ||
         has(text, "stmatrix.");
}

bool ends_block(const std::string& text) {
  return text.ends_with(':') || has(text, "bra ") || has(text, "bra.uni") || text == "ret";
}

// The barrier's line and the next access, of the same block.
void add_moved(std::vector<PtxMutation>& made, const std::vector<Line>& lines, std::size_t barrier) {
  for (std::size_t i = barrier + 1; i < lines.size() && !ends_block(lines[i].text); ++i) {
    if (!accesses_shared(lines[i].text)) continue;
    const Line& from = lines[barrier];
    made.push_back({from.number,
                    from.entry,
                    from.text + " moved",
                    {{from.number, ""}, {lines[i].number, lines[i].text + "; " + from.text + ";"}}});
    return;
  }
}

// `[%r1]` of `cp.async.cg.shared.global [%r1], [%rd2], 16, %r3` is its destination, `16` its size.
struct Copy {
  std::string before, destination, after;  // after the destination's register: `], [%rd2], 16`
  std::string count;                       // `%r3`, or empty
  std::string size;
};
Copy parse_copy(const std::string& text) {
  Copy copy;
  const std::size_t open = text.find('[') + 1;
  const std::size_t close = text.find(']');
  copy.before = text.substr(0, open);
  copy.destination = text.substr(open, close - open);
  copy.after = text.substr(close);
  const std::size_t source_end = copy.after.find(']', 1);
  const std::string operands = copy.after.substr(copy.after.find(',', source_end) + 2);  // `16, %r3`
  const std::size_t comma = operands.find(", %");
  copy.size = operands.substr(0, operands.find(','));
  if (comma == std::string::npos) return copy;
  copy.count = operands.substr(comma + 2);
  copy.after.erase(copy.after.size() - copy.count.size());
  return copy;
}

void add_copy(std::vector<PtxMutation>& made, const Line& line, const std::string& what, const std::string& text) {
  made.push_back({line.number, line.entry, "cp.async " + what, {{line.number, text}}});
}

}  // namespace

std::vector<PtxMutation> sync_mutations(std::string_view ptx) {
  const std::vector<Line> lines = lines_of(ptx);
  std::vector<PtxMutation> made;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [number, text, entry] = lines[i];
    const bool wait = text.starts_with("cp.async.wait_");
    const bool barrier = text.starts_with("bar.sync");
    if (!wait && !barrier && text != "cp.async.commit_group") continue;
    made.push_back({number, entry, text + " removed", {{number, ""}}});
    if (wait) made.push_back({number, entry, text + " -> " + weaker(text), {{number, weaker(text) + ";"}}});
    if (barrier) add_moved(made, lines, i);
  }
  return made;
}

std::vector<PtxMutation> copy_mutations(std::string_view ptx, std::uint32_t stage_bytes) {
  std::vector<PtxMutation> made;
  for (const Line& line : lines_of(ptx)) {
    if (!has(line.text, "cp.async.ca.") && !has(line.text, "cp.async.cg.")) continue;
    const Copy copy = parse_copy(line.text);
    if (stage_bytes != 0) {
      add_copy(made, line, "one stage on",
               "{ .reg .b32 %early, %ring; mov.u32 %ring, %dynamic_smem_size; add.u32 %early, " + copy.destination +
                   ", " + std::to_string(stage_bytes) + "; rem.u32 %early, %early, %ring; " + copy.before + "%early" +
                   copy.after + copy.count + "; }");
    }
    if (copy.count.empty()) continue;
    const std::string begin = "{ .reg .b32 %count; add.s32 %count, " + copy.count + ", ";
    const std::string end = "; " + copy.before + copy.destination + copy.after + "%count; }";
    add_copy(made, line, "two bytes less", begin + "-2; max.s32 %count, %count, 0" + end);
    add_copy(made, line, "two bytes more", begin + "2; min.s32 %count, %count, " + copy.size + end);
  }
  return made;
}

std::string mutated(std::string_view ptx, const PtxMutation& mutation) {
  std::string text;
  text.reserve(ptx.size() + 512);
  std::uint32_t number = 1;
  for (std::size_t begin = 0; begin < ptx.size(); ++number) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size());
    const auto edit = std::ranges::find(mutation.edits, number, &std::pair<std::uint32_t, std::string>::first);
    text += edit == mutation.edits.end() ? ptx.substr(begin, end - begin) : std::string_view(edit->second);
    text += '\n';
    begin = end + 1;
  }
  return text;
}

}  // namespace tileloom::test
