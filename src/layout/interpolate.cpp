// SPDX-License-Identifier: Apache-2.0
// A layout through given points: R(x) = y for each of them, R being linear in the digits of x to some chain of bases.
//
// A mode of composite size is two modes of smaller sizes, so prime sizes suffice, and the last mode goes on without
// end. For each chain the strides are unknown integers, and the points are linear equations for them. They are added
// base by base: two points in one block of the base fix a difference, whatever the larger bases are.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "layout/laws.hpp"

namespace tileloom::layout {

namespace {

constexpr std::size_t most_modes = 16;
using Row = SmallVector<std::int64_t, most_modes>;

// The integer solutions of a growing system of linear equations: point + any combination of the directions.
class Solutions {
 public:
  // One more unknown, free so far.
  void add_unknown() {
    point_.push_back(0);
    for (Row& d : directions_) {
      d.push_back(0);
    }
    Row unit;
    for (std::size_t i = 0; i + 1 < point_.size(); ++i) {
      unit.push_back(0);
    }
    unit.push_back(1);
    directions_.push_back(unit);
  }

  // Keeps the solutions with factors * unknowns = value; false if there are none.
  [[nodiscard]] bool require(const Row& factors, std::int64_t value) {
    const std::int64_t missing = value - dot(factors, point_);
    std::size_t pivot = directions_.size();
    std::int64_t slope = 0;
    for (std::size_t i = 0; i < directions_.size(); ++i) {
      std::int64_t other = dot(factors, directions_[i]);
      if (other == 0) {
        continue;
      }
      if (pivot == directions_.size()) {
        pivot = i;
        slope = other;
        continue;
      }
      while (other != 0) {  // Euclid on the two directions, until this one no longer moves the sum
        subtract(directions_[pivot], slope / other, directions_[i]);
        slope %= other;
        std::swap(directions_[pivot], directions_[i]);
        std::swap(slope, other);
      }
    }
    if (slope == 0) {
      return missing == 0;
    }
    if (missing % slope != 0) {
      return false;
    }
    subtract(point_, -(missing / slope), directions_[pivot]);
    directions_.erase(directions_.begin() + static_cast<std::ptrdiff_t>(pivot));
    return true;
  }

  [[nodiscard]] const Row& point() const noexcept { return point_; }

 private:
  static std::int64_t dot(const Row& a, const Row& b) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum = checked_add(sum, checked_mul(a[i], b[i]));
    }
    return sum;
  }
  static void subtract(Row& from, std::int64_t times, const Row& what) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] = checked_add(from[i], checked_mul(-times, what[i]));
    }
  }

  Row point_;
  std::vector<Row> directions_;
};

bool is_prime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) {
      return false;
    }
  }
  return n > 1;
}

class Search {
 public:
  explicit Search(const std::vector<Point>& points) : points_(points), last_(points.back().x) {}

  Interpolation run() {
    const bool found = extend(1, {});
    return {found ? std::optional<Modes>(modes_) : std::nullopt, work_ > most_work};
  }

 private:
  // Completes the chain `sizes_`, whose product is `base`.
  bool extend(std::int64_t base, const Solutions& known) {
    if (finish(base, known)) {
      return true;
    }
    if (sizes_.size() + 1 == most_modes) {
      return false;
    }
    for (std::int64_t p = 2; p <= last_ / base; ++p) {
      ++work_;
      if (!is_prime(p)) {
        continue;
      }
      Solutions next = known;
      next.add_unknown();
      sizes_.push_back(p);
      if (agree(base, base * p, next) && extend(base * p, next)) {
        return true;
      }
      sizes_.erase(sizes_.size() - 1);
      if (work_ > most_work) {
        return false;
      }
    }
    return false;
  }

  bool finish(std::int64_t base, Solutions known) {
    known.add_unknown();
    if (!agree(base, last_ + 1, known)) {
      return false;
    }
    for (std::size_t k = 0; k < known.point().size(); ++k) {
      const std::int64_t size = k < sizes_.size() ? sizes_[k] : last_ / base + 1;
      modes_.push_back({Int::make_dynamic(size), Int::make_dynamic(known.point()[k])});
    }
    return true;
  }

  // Lets the points of each block of `block` offsets agree with each other, those of blocks of `base` doing so already.
  bool agree(std::int64_t base, std::int64_t block, Solutions& solutions) {
    const Point* first = &points_[0];
    const Point* inner = first;
    for (const Point& p : points_) {
      if (++work_ > most_work) {
        return false;
      }
      if (p.x / block != first->x / block) {
        first = inner = &p;
      } else if (p.x / base != inner->x / base) {
        inner = &p;
        if (!solutions.require(difference(p.x, first->x, solutions.point().size()), p.y - first->y)) {
          return false;
        }
      }
    }
    return true;
  }

  // Digits of x less those of y; one unknown more than there are sizes stands for the endless last mode.
  [[nodiscard]] Row difference(std::int64_t x, std::int64_t y, std::size_t unknowns) const {
    Row row;
    for (const std::int64_t size : sizes_) {
      row.push_back(x % size - y % size);
      x /= size;
      y /= size;
    }
    if (row.size() < unknowns) {
      row.push_back(x - y);
    }
    return row;
  }

  static constexpr std::int64_t most_work = std::int64_t{1} << 22;

  const std::vector<Point>& points_;
  std::int64_t last_;
  std::int64_t work_ = 0;
  SmallVector<std::int64_t, most_modes> sizes_;
  Modes modes_;
};

}  // namespace

Interpolation interpolate(const std::vector<Point>& points) {
  return Search(points).run();
}

}  // namespace tileloom::layout
