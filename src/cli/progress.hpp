// SPDX-License-Identifier: Apache-2.0
// Progress on stderr for work that takes longer than a second: one line that is rewritten on a terminal, a line every
// ten seconds elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tileloom::cli {

class Progress {
 public:
  explicit Progress(std::string label, std::chrono::milliseconds silence = std::chrono::seconds(1));
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // clears the terminal's line

  void update(std::uint64_t done, std::uint64_t all);
  void hide();  // clears the terminal's line, before something is printed on it

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace tileloom::cli
