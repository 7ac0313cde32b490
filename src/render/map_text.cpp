// SPDX-License-Identifier: Apache-2.0
// A thread's elements drawn on the tile.
#include <algorithm>

#include "render/trace_text.hpp"

namespace tileloom::render {

using std::to_string;
using trace::TileMap;

namespace {

constexpr std::size_t max_width = 100;
constexpr std::size_t max_lines = 40;
constexpr std::int64_t skipped = -1;  // stands for a run of lines without elements

std::string right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// 0 .. count-1, runs of three and more that are empty as one `skipped`.
template <class IsEmpty>
std::vector<std::int64_t> without_empty_runs(std::int64_t count, const IsEmpty& is_empty) {
  std::vector<std::int64_t> shown;
  for (std::int64_t i = 0; i < count;) {
    std::int64_t end = i;
    while (end < count && is_empty(end)) {
      ++end;
    }
    if (end - i >= 3) {
      shown.push_back(skipped);
    } else {
      for (std::int64_t j = i; j < end; ++j) {
        shown.push_back(j);
      }
    }
    if (end < count) {
      shown.push_back(end);
    }
    i = end + 1;
  }
  return shown;
}

// A part of the tile from its first element on, as lines.
class Drawing {
 public:
  Drawing(const TileMap& map, std::int64_t rows, std::int64_t columns) : map_(map) {
    std::int64_t largest = columns - 1;
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t r = 0; r < rows; ++r) {
        largest = std::max(largest, map.at(r, c));
      }
    }
    cell_ = to_string(largest).size() + 1;
    label_ = 2 + to_string(rows - 1).size();
    rows_ = without_empty_runs(rows, [&](std::int64_t r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        if (map.at(r, c) >= 0) {
          return false;
        }
      }
      return true;
    });
    for (std::int64_t c = 0; c < columns; ++c) {
      columns_.push_back(c);
    }
    elided_ = width() > max_width;
    if (elided_) {
      cell_ = std::max<std::size_t>(cell_, 4);  // for the dots
      columns_ = without_empty_runs(columns, [&](std::int64_t c) {
        for (std::int64_t r = 0; r < rows; ++r) {
          if (map.at(r, c) >= 0) {
            return false;
          }
        }
        return true;
      });
    }
  }

  // Every column is there, and not too many lines.
  [[nodiscard]] bool fits() const { return !elided_ && rows_.size() <= max_lines; }

  // Columns that would be too far to the right are left out.
  void print(std::ostream& out) {
    const char row_name = map_.operand == trace::Operand::b ? 'n' : 'm';
    const char column_name = map_.operand == trace::Operand::c ? 'n' : 'k';
    const bool cut = width() > max_width;
    if (cut) {
      columns_.resize((max_width - label_) / cell_ - 1);
      columns_.push_back(skipped);
    }
    std::string head = right(std::string(1, column_name), label_);
    for (const std::int64_t c : columns_) {
      head += right(c == skipped ? "..." : to_string(c), cell_);
    }
    out << head << '\n';
    for (const std::int64_t r : rows_) {
      if (r == skipped) {
        out << right("...", label_) << '\n';
        continue;
      }
      std::string line = row_name + right(to_string(r), label_ - 1);
      for (const std::int64_t c : columns_) {
        const std::int64_t slot = c == skipped ? -1 : map_.at(r, c);
        line += right(slot < 0 ? "." : to_string(slot), cell_);
      }
      out << line << '\n';
    }
  }

 private:
  [[nodiscard]] std::size_t width() const { return label_ + columns_.size() * cell_; }

  const TileMap& map_;
  std::size_t cell_ = 0, label_ = 0;
  bool elided_ = false;
  std::vector<std::int64_t> rows_, columns_;
};

void repeat_line(std::ostream& out, const trace::PatternRepeat& r, const std::string& what) {
  if (r.count > 1) {
    out << "  every " << r.period << ' ' << what << ", " << r.count << " times in all";
    if (r.slots) {
      out << ", slots + " << *r.slots;
    }
    out << '\n';
  }
}

}  // namespace

void map_text(std::ostream& out, const TileMap& map) {
  const std::string name(1, map.operand == trace::Operand::c ? 'D' : letter(map.operand));
  out << name << " of thread " << map.thread << " on the CTA's tile of " << map.rows << " x " << map.columns
      << ": slots of tCr" << letter(map.operand) << ", a point is another thread's\n";
  Drawing whole(map, map.rows, map.columns);
  if (whole.fits()) {
    whole.print(out);
    return;
  }
  Drawing(map, map.down.period, map.across.period).print(out);
  out << "These are the first " << map.down.period << " x " << map.across.period << "; the pattern repeats\n";
  repeat_line(out, map.down, "rows");
  repeat_line(out, map.across, "columns");
}

}  // namespace tileloom::render
