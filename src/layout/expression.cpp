// SPDX-License-Identifier: Apache-2.0
// Values of expressions, and calls by name.
#include "tileloom/layout/expression.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "layout/fail.hpp"
#include "layout/functions.hpp"

namespace tileloom::layout {

std::string to_string(const Value& value) {
  if (const bool* b = std::get_if<bool>(&value)) {
    return *b ? "true" : "false";
  }
  if (const Major* m = std::get_if<Major>(&value)) {
    return *m == Major::left ? "LayoutLeft" : "LayoutRight";
  }
  return std::visit(
      [](const auto& x) -> std::string {
        using T = std::decay_t<decltype(x)>;
        if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Major>) {
          return {};
        } else {
          return to_string(x);
        }
      },
      value);
}

std::string kind_of(const Value& value) {
  if (const auto* t = std::get_if<Tree>(&value)) {
    return t->is_tuple() ? "a tuple" : "an integer";
  }
  static constexpr std::array<const char*, 9> names = {"",          "a layout", "a swizzled layout",
                                                       "a swizzle", "a tiler",  "a tensor",
                                                       "a pointer", "an order", "a truth value"};
  return names[value.index()];
}
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

[[noreturn]] void unknown_function(std::string_view name) {
  if (name.size() > 40) {
    fail("unknown function '" + std::string(name.substr(0, 40)) + "...'");
  }
  const auto table = function_table();
  const auto nearest = std::min_element(table.begin(), table.end(), [&](const Function& x, const Function& y) {
    return edit_distance(name, x.info.name) < edit_distance(name, y.info.name);
  });
  fail("unknown function '" + std::string(name) + "'", "did you mean " + std::string(nearest->info.name) + "?");
}

}  // namespace

Value call(std::string_view name, const std::vector<Value>& arguments, const Policy& policy) {
  const auto table = function_table();
  const auto f = std::lower_bound(table.begin(), table.end(), name,
                                  [](const Function& x, std::string_view n) { return x.info.name < n; });
  if (f == table.end() || f->info.name != name) {
    unknown_function(name);
  }
  if (arguments.size() < f->least || arguments.size() > f->most) {
    fail(std::string(name) + ": " + std::to_string(arguments.size()) +
             (arguments.size() == 1 ? " argument" : " arguments") + ", expected " +
             (f->least == f->most ? "" : "at least ") + std::to_string(f->least) +
             (f->least == f->most || f->most == any_number ? "" : " and at most " + std::to_string(f->most)),
         "usage: " + std::string(name) + "(" + std::string(f->info.arguments) + ")");
  }
  return f->run(Arguments(f->info, arguments, policy));
}

std::span<const FunctionInfo> functions() {
  static const std::vector<FunctionInfo> all = [] {
    std::vector<FunctionInfo> v;
    v.reserve(function_table().size());
    for (const Function& f : function_table()) {
      v.push_back(f.info);
    }
    return v;
  }();
  return all;
}

}  // namespace tileloom::layout