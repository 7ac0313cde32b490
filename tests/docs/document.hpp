// SPDX-License-Identifier: Apache-2.0
// The pages of the documentation, as far as they can be checked: the commands they show with what these print, and
// their links.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tileloom::test {

// `$ tileloom ...` in a fenced block, with the lines after it up to the next command or the end of the block.
struct ShownCommand {
  std::string command;              // without the `$ `
  std::vector<std::string> output;  // empty: the page shows none
  std::size_t line = 0;             // of the command in its page, from 0; the output follows it
};

// Every page: README.md, CHANGELOG.md, ... and docs/ with its folders, in order of their names.
[[nodiscard]] std::vector<std::filesystem::path> pages(const std::filesystem::path& root);

[[nodiscard]] std::vector<std::string> lines_of(const std::string& text);

[[nodiscard]] std::vector<ShownCommand> shown_commands(const std::vector<std::string>& page);

// Targets of `[text](target)` outside of fenced blocks.
[[nodiscard]] std::vector<std::string> links(const std::vector<std::string>& page);

// A line of three dots, which stands for lines that are left out.
[[nodiscard]] bool is_dots(const std::string& line);

// Whether a command that printed `printed` may be shown as `shown`: line by line, where a line of dots stands for any
// number of lines, and white space at the end of a line for nothing.
[[nodiscard]] bool shows(const std::vector<std::string>& shown, const std::vector<std::string>& printed);

}  // namespace tileloom::test
