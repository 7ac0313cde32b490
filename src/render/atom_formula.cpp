// SPDX-License-Identifier: Apache-2.0
#include "render/atom_formula.hpp"

#include <algorithm>

#include "tileloom/layout/algebra.hpp"

namespace tileloom::render {

namespace {

// One mode of thread or value: the digit x / place % size moves the row or the column by `step`.
struct Digit {
  bool of_thread;
  bool along_row;
  std::int64_t place, size, step;
};

struct Extents {
  std::int64_t threads, values, rows, columns;
};

std::string text_of(const FormulaTerm& t) {
  const std::string over = t.divisor > 1 ? "/" + std::to_string(t.divisor) : "";
  const std::string modulo = t.modulus > 0 ? "%" + std::to_string(t.modulus) : "";
  std::string base = t.variable + (t.remainder_first ? modulo + over : over + modulo);
  if (t.coefficient == 1) return base;
  const std::string factor = std::to_string(t.coefficient) + "*";
  return base == t.variable ? factor + base : factor + "(" + base + ")";
}

// A mode that crosses from the first column to the next ones is two digits.
bool add_digits(std::vector<Digit>& digits, const Digit& whole, std::int64_t stride, std::int64_t rows) {
  const std::int64_t size = whole.size;
  if (stride * (size - 1) < rows) {
    digits.push_back({whole.of_thread, true, whole.place, size, stride});
    return true;
  }
  if (stride % rows == 0) {
    digits.push_back({whole.of_thread, false, whole.place, size, stride / rows});
    return true;
  }
  const std::int64_t inside = rows / stride;
  if (rows % stride != 0 || size % inside != 0) return false;
  digits.push_back({whole.of_thread, true, whole.place, inside, stride});
  digits.push_back({whole.of_thread, false, whole.place * inside, size / inside, 1});
  return true;
}

// The digits of one mode of the layout. False if there are none.
bool add_mode(std::vector<Digit>& digits, layout::LayoutRef mode, bool of_thread, std::int64_t rows, bool& still) {
  const layout::Tree shape = layout::flatten(mode.shape);
  const layout::Tree stride = layout::flatten(mode.stride);
  std::int64_t place = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const std::int64_t size = (shape.is_tuple() ? shape[i].leaf() : shape.leaf()).value;
    const std::int64_t step = (stride.is_tuple() ? stride[i].leaf() : stride.leaf()).value;
    if (size > 1 && step == 0) still = true;
    if (size > 1 && step != 0 && !add_digits(digits, {of_thread, true, place, size, 0}, step, rows)) return false;
    place *= size;
  }
  return true;
}

// Neighbouring digits that are one number are one digit.
std::vector<Digit> merged(const std::vector<Digit>& digits) {
  std::vector<Digit> result;
  for (const Digit& d : digits) {
    const bool continues =
        !result.empty() && result.back().of_thread == d.of_thread && result.back().along_row == d.along_row &&
        result.back().place * result.back().size == d.place && result.back().step * result.back().size == d.step;
    if (continues) {
      result.back().size *= d.size;
    } else {
      result.push_back(d);
    }
  }
  return result;
}

Formula position(const std::vector<Digit>& digits, const std::string& result, bool row, const Extents& extents,
                 const FormulaNames& names) {
  Formula f{result, {}};
  for (const Digit& d : digits) {
    if (d.along_row != row) continue;
    const bool last = d.place * d.size == (d.of_thread ? extents.threads : extents.values);
    f.terms.push_back({d.step, d.of_thread ? names.thread : names.value, d.place, last ? 0 : d.size, false});
  }
  return f;
}

Formula holder(const std::vector<Digit>& digits, const std::string& result, bool thread, const Extents& extents,
               const FormulaNames& names) {
  Formula f{result, {}};
  for (const Digit& d : digits) {
    if (d.of_thread != thread) continue;
    const std::int64_t span = d.step * d.size;
    const bool last = span == (d.along_row ? extents.rows : extents.columns);
    f.terms.push_back({d.place, d.along_row ? names.row : names.column, d.step, last ? 0 : span, true});
  }
  // The slowest digit of a thread first, of a value last.
  std::ranges::stable_sort(f.terms, [&](const FormulaTerm& a, const FormulaTerm& b) {
    return thread ? a.coefficient > b.coefficient : a.coefficient < b.coefficient;
  });
  return f;
}

}  // namespace

std::string to_string(const Formula& formula) {
  std::string text = formula.result + " = ";
  for (std::size_t i = 0; i < formula.terms.size(); ++i) text += (i > 0 ? " + " : "") + text_of(formula.terms[i]);
  return formula.terms.empty() ? text + "0" : text;
}

std::int64_t evaluate(const Formula& formula, const std::map<std::string, std::int64_t>& values) {
  std::int64_t sum = 0;
  for (const FormulaTerm& t : formula.terms) {
    std::int64_t x = values.at(t.variable);
    if (t.modulus > 0 && t.remainder_first) x %= t.modulus;
    x /= t.divisor;
    if (t.modulus > 0 && !t.remainder_first) x %= t.modulus;
    sum += t.coefficient * x;
  }
  return sum;
}

std::optional<LayoutFormulas> layout_formulas(const layout::Layout& tv, std::int64_t rows, std::int64_t columns,
                                              const FormulaNames& names) {
  const layout::LayoutRef modes(tv);
  const Extents extents{layout::size(modes[0]).value, layout::size(modes[1]).value, rows, columns};
  std::vector<Digit> digits;
  bool thread_stands_still = false;
  bool value_stands_still = false;
  if (!add_mode(digits, modes[0], true, rows, thread_stands_still) ||
      !add_mode(digits, modes[1], false, rows, value_stands_still) || value_stands_still) {
    return std::nullopt;
  }
  digits = merged(digits);
  const bool none_of_thread = std::ranges::none_of(digits, &Digit::of_thread);
  return LayoutFormulas{position(digits, names.row, true, extents, names),
                        position(digits, names.column, false, extents, names),
                        holder(digits, names.thread, true, extents, names),
                        holder(digits, names.value, false, extents, names), thread_stands_still && none_of_thread};
}

}  // namespace tileloom::render
