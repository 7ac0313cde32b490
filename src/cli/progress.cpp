// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/say.hpp"

namespace tileloom::cli {
namespace {

bool stderr_rewrites_lines() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Progress::Progress(std::string label, std::chrono::milliseconds silence)
    : label_(std::move(label)), next_(start_ + silence), terminal_(stderr_rewrites_lines()) {}

Progress::~Progress() {
  hide();
}

void Progress::hide() {
  if (shown_ && terminal_) {
    say("\r\033[K");
  }
}

void Progress::update(std::uint64_t done, std::uint64_t all) {
  const Clock::time_point now = Clock::now();
  if (now < next_ || done == 0 || done >= all) {
    return;
  }
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double fraction = static_cast<double>(done) / static_cast<double>(all);
  const std::string line =
      fmt::format("{} {:.0f} %, {:.0f} s left", label_, 100 * fraction, elapsed / fraction - elapsed);
  say(fmt::format("{}{}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n"));
  shown_ = true;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
}

}  // namespace tileloom::cli
