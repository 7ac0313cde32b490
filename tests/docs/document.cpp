// SPDX-License-Identifier: Apache-2.0
#include "docs/document.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace tileloom::test {
namespace {

constexpr std::string_view prompt = "$ ";
constexpr std::string_view program = "$ tileloom ";

[[nodiscard]] bool is_fence(const std::string& line) {
  return line.starts_with("```");
}

[[nodiscard]] std::string without_trailing_space(const std::string& line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

[[nodiscard]] std::string without_code(const std::string& line) {
  static const std::regex code("`[^`]*`");
  return std::regex_replace(line, code, "");
}

[[nodiscard]] bool shows_from(const std::vector<std::string>& shown, std::size_t i,
                              const std::vector<std::string>& printed, std::size_t j) {
  for (; i < shown.size(); ++i, ++j) {
    if (is_dots(shown[i])) {
      for (std::size_t rest = j; rest <= printed.size(); ++rest) {
        if (shows_from(shown, i + 1, printed, rest)) return true;
      }
      return false;
    }
    if (j == printed.size() || without_trailing_space(shown[i]) != without_trailing_space(printed[j])) return false;
  }
  return j == printed.size();
}

}  // namespace

bool is_dots(const std::string& line) {
  return line.find_first_not_of(" .\t\r") == std::string::npos && line.find("...") != std::string::npos;
}

std::vector<std::filesystem::path> pages(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> found;
  const auto take = [&](const std::filesystem::path& path) {
    if (path.extension() == ".md") found.push_back(path);
  };
  for (const auto& entry : std::filesystem::directory_iterator(root)) take(entry.path());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "docs")) take(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<ShownCommand> shown_commands(const std::vector<std::string>& page) {
  std::vector<ShownCommand> found;
  bool in_block = false;
  bool ours = false;  // the lines belong to a command that is checked
  for (std::size_t i = 0; i < page.size(); ++i) {
    const std::string& line = page[i];
    if (is_fence(line)) {
      in_block = !in_block;
      ours = false;
    } else if (in_block && line.starts_with(prompt)) {
      ours = line.starts_with(program);
      if (ours) found.push_back({line.substr(prompt.size()), {}, i});
    } else if (in_block && ours) {
      found.back().output.push_back(line);
    }
  }
  for (ShownCommand& shown : found) {  // an empty line before the next command is layout, not output
    while (!shown.output.empty() && shown.output.back().empty()) shown.output.pop_back();
  }
  return found;
}

std::vector<std::string> links(const std::vector<std::string>& page) {
  static const std::regex link(R"(\[[^\]]*\]\(([^)\s]+)\))");
  std::vector<std::string> found;
  bool in_block = false;
  for (const std::string& line : page) {
    if (is_fence(line)) in_block = !in_block;
    if (in_block) continue;
    const std::string prose = without_code(line);
    for (std::sregex_iterator match(prose.begin(), prose.end(), link), end; match != end; ++match) {
      found.push_back((*match)[1]);
    }
  }
  return found;
}

bool shows(const std::vector<std::string>& shown, const std::vector<std::string>& printed) {
  return shows_from(shown, 0, printed, 0);
}

}  // namespace tileloom::test
