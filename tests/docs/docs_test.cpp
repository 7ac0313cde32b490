// SPDX-License-Identifier: Apache-2.0
// The documentation is true: what a page says a command prints is what it prints, and every link leads somewhere.
// TILELOOM_UPDATE_DOCS=1 writes what the commands print now into the pages, except where `...` leaves lines out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "docs/document.hpp"
#include "unit/gemm/npy_bytes.hpp"

namespace tileloom::test {
namespace {

namespace fs = std::filesystem;

const fs::path root = TILELOOM_SOURCE_DIR;

struct Printed {
  std::vector<std::string> lines;  // of both outputs
  int exit_code = -1;
};

// Runs commands as a reader would who stands in the repository and has `tileloom` on the PATH.
class Shell {
 public:
  Shell() {
    fs::create_directory(here_.path() / "bin");
    fs::create_symlink(TILELOOM_PROGRAM, here_.path() / "bin" / "tileloom");
    fs::create_directory_symlink(root / "examples", here_.path() / "examples");
  }

  [[nodiscard]] Printed run(const std::string& command) const {
    const std::string script = here_.file("script");
    write_file(script, "cd '" + here_.path().string() + "'\nexport PATH=\"$PWD/bin:$PATH\"\n" + command + "\n");
    const int status = std::system(("sh '" + script + "' >'" + here_.file("printed") + "' 2>&1").c_str());
    return {lines_of(read_file(here_.file("printed"))), WEXITSTATUS(status)};
  }

 private:
  Directory here_;
};

[[nodiscard]] bool elides(const ShownCommand& shown) {
  return std::any_of(shown.output.begin(), shown.output.end(), is_dots);
}

[[nodiscard]] std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

void replace_output(std::vector<std::string>& page, const ShownCommand& shown, const Printed& printed) {
  const auto first = page.begin() + static_cast<std::ptrdiff_t>(shown.line) + 1;
  page.insert(page.erase(first, first + static_cast<std::ptrdiff_t>(shown.output.size())), printed.lines.begin(),
              printed.lines.end());
}

// A page that shows an error shows a command that fails, and the other way round, but for a check that says no.
void expect_exit_code(const ShownCommand& shown, const Printed& printed) {
  const bool error = !printed.lines.empty() && printed.lines.front().starts_with("error: ");
  EXPECT_EQ(error, printed.exit_code > 1) << shown.command << "\nexit code " << printed.exit_code << '\n'
                                          << joined(printed.lines);
}

TEST(Docs, CommandsPrintWhatThePagesShow) {
  const Shell shell;
  const bool update = std::getenv("TILELOOM_UPDATE_DOCS") != nullptr;
  std::size_t checked = 0;
  for (const fs::path& path : pages(root)) {
    std::vector<std::string> page = lines_of(read_file(path));
    std::vector<ShownCommand> commands = shown_commands(page);
    bool changed = false;
    for (auto shown = commands.rbegin(); shown != commands.rend(); ++shown, ++checked) {
      const Printed printed = shell.run(shown->command);
      expect_exit_code(*shown, printed);
      if (shown->output.empty() || shows(shown->output, printed.lines)) continue;
      if (update && !elides(*shown)) {
        replace_output(page, *shown, printed);
        changed = true;
        continue;
      }
      ADD_FAILURE() << path.string() << ':' << shown->line + 1 << ": " << shown->command << "\nshown:\n"
                    << joined(shown->output) << "printed:\n"
                    << joined(printed.lines);
    }
    if (changed) write_file(path, joined(page));
  }
  EXPECT_GE(checked, 5U);
}

// Heading -> its anchor, as GitHub makes it.
[[nodiscard]] bool has_heading(const fs::path& page, const std::string& anchor) {
  for (const std::string& line : lines_of(read_file(page))) {
    if (!line.starts_with("#")) continue;
    std::string made;
    for (const char c : line.substr(line.find_first_not_of("# "))) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-') {
        made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (c == ' ') {
        made += '-';
      }
    }
    if (made == anchor) return true;
  }
  return false;
}

TEST(Docs, LinksLeadSomewhere) {
  std::size_t checked = 0;
  for (const fs::path& path : pages(root)) {
    for (const std::string& target : links(lines_of(read_file(path)))) {
      if (target.find("://") != std::string::npos) continue;
      const std::size_t hash = target.find('#');
      const fs::path file = hash == 0 ? path : path.parent_path() / target.substr(0, hash);
      EXPECT_TRUE(fs::exists(file)) << path << " links to " << target;
      if (hash != std::string::npos && fs::exists(file)) {
        EXPECT_TRUE(has_heading(file, target.substr(hash + 1))) << path << " links to " << target;
      }
      ++checked;
    }
  }
  EXPECT_GE(checked, 20U);
}

TEST(Docs, EveryPageCanBeReachedFromTheIndex) {
  std::string index = read_file(root / "docs" / "README.md") + read_file(root / "docs/tutorial/README.md") +
                      read_file(root / "docs/tutorial/zh/README.md");
  for (const fs::path& path : pages(root)) {
    if (path.parent_path() == root || path.filename() == "README.md") continue;
    EXPECT_NE(index.find(path.filename().string() + ")"), std::string::npos) << path;
  }
}

[[nodiscard]] std::string without_indent(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// The C++ that the page about the API shows is the example's, line by line.
TEST(Docs, CodeOfTheApiStandsInTheExample) {
  std::string example;
  for (const std::string& line : lines_of(read_file(root / "examples/unit-test/gemm_test.cpp"))) {
    example += without_indent(line) + '\n';
  }
  std::size_t checked = 0;
  std::string block;
  bool inside = false;
  for (const std::string& line : lines_of(read_file(root / "docs/emulator-api.md"))) {
    if (inside && line == "```") {
      EXPECT_NE(example.find(block), std::string::npos) << block;
      inside = false;
      ++checked;
    }
    if (inside) block += without_indent(line) + '\n';
    if (line == "```cpp") {
      inside = true;
      block.clear();
    }
  }
  EXPECT_GE(checked, 5U);
}

// A translation shows the same commands with the same answers, in the same order.
TEST(Docs, TheChineseTutorialRunsTheSameCommands) {
  const fs::path tutorial = root / "docs/tutorial";
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(tutorial)) {
    if (entry.path().extension() != ".md") continue;
    const fs::path translated = tutorial / "zh" / entry.path().filename();
    ASSERT_TRUE(fs::exists(translated)) << translated;
    const auto ours = shown_commands(lines_of(read_file(entry.path())));
    const auto theirs = shown_commands(lines_of(read_file(translated)));
    ASSERT_EQ(ours.size(), theirs.size()) << translated;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].command, theirs[i].command) << translated;
      EXPECT_EQ(ours[i].output, theirs[i].output) << translated << ": " << ours[i].command;
    }
    ++compared;
  }
  EXPECT_GE(compared, 8U);
}

// -- The checker itself
// -------------------------------------------------------------------------------------------------

TEST(ShownCommands, AreThoseOfOurProgramInFencedBlocks) {
  const auto found =
      shown_commands(lines_of("$ tileloom a\n```\n$ tileloom b\nx\n\n$ other\ny\n$ tileloom c\n```\nz\n"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].command, "tileloom b");
  EXPECT_EQ(found[0].output, std::vector<std::string>{"x"});
  EXPECT_EQ(found[1].command, "tileloom c");
  EXPECT_TRUE(found[1].output.empty());
}

TEST(Shows, WantsEveryLineButForDots) {
  using Lines = std::vector<std::string>;
  const Lines printed{"a", "b", "c"};
  EXPECT_TRUE(shows(printed, printed));
  EXPECT_TRUE(shows({"a", "b ", "c"}, printed));
  EXPECT_TRUE(shows({"...", "c"}, printed));
  EXPECT_TRUE(shows({"a", "..."}, printed));
  EXPECT_TRUE(shows({"a", "...", "b", "c"}, printed));
  EXPECT_FALSE(shows({"a", "b"}, printed));
  EXPECT_FALSE(shows({"a", "b", "c", "d"}, printed));
  EXPECT_FALSE(shows({"a", "...", "d"}, printed));
  EXPECT_FALSE(shows({" a", "b", "c"}, printed));
}

}  // namespace
}  // namespace tileloom::test
