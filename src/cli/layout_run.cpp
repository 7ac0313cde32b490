// SPDX-License-Identifier: Apache-2.0
#include "cli/layout_run.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "render/layout_text.hpp"
#include "tileloom/layout/expression.hpp"

namespace tileloom::cli {

namespace {

using layout::AnyLayout;
using layout::Int;
using layout::Log;
using layout::Policy;
using layout::Semantics;
using layout::Tree;
using layout::Value;
using Json = nlohmann::ordered_json;

// A layout, a swizzled layout, or the layout of a tensor.
std::optional<AnyLayout> as_layout(const Value& v) {
  if (const auto* l = std::get_if<layout::Layout>(&v)) {
    return *l;
  }
  if (const auto* c = std::get_if<layout::ComposedLayout>(&v)) {
    return *c;
  }
  if (const auto* t = std::get_if<layout::Tensor>(&v)) {
    return t->layout;
  }
  return std::nullopt;
}

AnyLayout need_layout(const Value& v, const std::string& option) {
  if (auto l = as_layout(v)) {
    return *std::move(l);
  }
  throw Error(ErrorKind::bad_input,
              option + ": the expression is " + kind_of(v) + ", " + to_string(v) + "; expected a layout");
}

void check_coordinate(layout::TreeRef coord, layout::TreeRef shape, const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::bad_input,
                "--at: coordinate " + text + " is outside shape " + to_string(shape) + ": " + why);
  };
  if (coord.is_leaf()) {
    if (coord.leaf().is_any()) {
      return;
    }
    const std::int64_t n = product(shape).value;
    if (coord.leaf().value < 0 || coord.leaf().value >= n) {
      refuse(std::to_string(coord.leaf().value) + " is not in 0.." + std::to_string(n - 1));
    }
    return;
  }
  if (shape.is_leaf() || shape.rank() != coord.rank()) {
    refuse(to_string(coord) + " does not have the modes of " + to_string(shape));
  }
  for (std::size_t i = 0; i < coord.rank(); ++i) {
    check_coordinate(coord[i], shape[i], text);
  }
}

std::string value_at(const Value& v, const std::string& text, const Policy& policy) {
  const AnyLayout l = need_layout(v, "--at");
  const Tree coord = layout::parse_tree(text);
  check_coordinate(coord, domain(l).shape(), text);
  return to_string(layout::call("eval", {v, coord}, policy));
}

// --- Comparing ---------------------------------------------------------------------------------------------------

struct Comparison {
  bool equal = true;
  std::string text;
};

Comparison compare_layouts(const AnyLayout& a, const AnyLayout& b) {
  const std::int64_t n = size(domain(a)).value;
  const std::int64_t m = size(domain(b)).value;
  if (n != m) {
    return {false, "differ: " + std::to_string(n) + " elements and " + std::to_string(m)};
  }
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (n > most) {
    throw Error(ErrorKind::bad_input,
                "--equal: " + std::to_string(n) + " elements, expected at most " + std::to_string(most));
  }
  std::int64_t differences = 0;
  std::string first;
  for (std::int64_t i = 0; i < n; ++i) {
    const Tree index(Int::make_dynamic(i));
    const Tree x = evaluate(a, index);
    const Tree y = evaluate(b, index);
    const std::string tx = render::plain_text(x);
    const std::string ty = render::plain_text(y);
    if (tx == ty) {
      continue;
    }
    if (differences++ == 0) {
      first = "differ at " + render::plain_text(idx2crd(index, domain(a).shape())) + " (index " + std::to_string(i) +
              "): " + tx + " and " + ty;
      if (x.is_leaf() && y.is_leaf() && x.leaf().value >= 0 && y.leaf().value >= 0) {
        first += ", bits " + std::to_string(x.leaf().value ^ y.leaf().value);
      }
    }
  }
  if (differences == 0) {
    return {true, "equal at all " + std::to_string(n) + " coordinates"};
  }
  return {false, first + "; " + std::to_string(differences) + " of " + std::to_string(n) + " coordinates differ"};
}

Comparison compare(const Value& a, const Value& b) {
  const auto x = as_layout(a);
  const auto y = as_layout(b);
  if (x && y) {
    return compare_layouts(*x, *y);
  }
  const bool same = to_string(a) == to_string(b);
  return {same, same ? "equal" : "differ: " + to_string(a) + " and " + to_string(b)};
}

Json steps_json(const Log& log) {
  Json steps = Json::array();
  for (const layout::Step& s : log.steps) {
    steps.push_back({{"what", s.what}, {"result", s.result}});
  }
  return steps;
}

Json offsets_json(const AnyLayout& l) {
  const std::int64_t n = size(domain(l)).value;
  if (n > render::max_table_elements) {
    throw Error(ErrorKind::bad_input, "table: " + std::to_string(n) + " elements, expected at most " +
                                          std::to_string(render::max_table_elements));
  }
  Json offsets = Json::array();
  for (std::int64_t i = 0; i < n; ++i) {
    const Tree x = evaluate(l, Tree(Int::make_dynamic(i)));
    offsets.push_back(x.is_leaf() && !x.leaf().has_basis() ? Json(x.leaf().value) : Json(render::plain_text(x)));
  }
  return offsets;
}

Json properties_json(const render::Properties& properties) {
  Json object = Json::object();
  for (const auto& [name, value] : properties) {
    std::visit([&, &key = name](const auto& x) { object[key] = x; }, value);
  }
  return object;
}

}  // namespace

int run_layout(const LayoutOptions& options, const nlohmann::ordered_json& header, std::ostream& out,
               std::ostream& err) {
  Log log;
  log.want_steps = options.explain;
  const Policy policy(options.cute ? Semantics::cute : Semantics::correct, &log);
  const Value value = layout::evaluate(options.expression, policy);
  const std::string result = to_string(value);
  const Log first = log;
  Comparison comparison;
  if (!options.equal.empty()) {
    comparison = compare(value, layout::evaluate(options.equal, policy));
  }
  const int exit_code = comparison.equal ? 0 : static_cast<int>(ErrorKind::check_failed);
  if (options.json) {
    Json json = header;
    json["expression"] = options.expression;
    json["semantics"] = options.cute ? "cute" : "correct";
    json["kind"] = kind_of(value);
    json["result"] = result;
    json["notes"] = log.notes;
    if (options.explain) {
      json["steps"] = steps_json(first);
    }
    if (!options.at.empty()) {
      json["at"] = {{"coordinate", options.at}, {"value", value_at(value, options.at, policy)}};
    }
    if (options.properties) {
      json["properties"] = properties_json(render::layout_properties(need_layout(value, "--properties"), policy));
    }
    if (options.table) {
      json["offsets"] = offsets_json(need_layout(value, "--table"));
    }
    if (!options.equal.empty()) {
      json["equal"] = {{"expression", options.equal}, {"equal", comparison.equal}, {"text", comparison.text}};
    }
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    return exit_code;
  }
  for (const std::string& note : log.notes) {
    err << "note: " << note << '\n';
  }
  if (!options.equal.empty()) {
    out << comparison.text << '\n';
  } else if (!options.at.empty()) {
    out << value_at(value, options.at, policy) << '\n';
  } else {
    out << result << '\n';
  }
  if (options.explain) {
    render::layout_steps(out, first.steps, result);
  }
  if (options.properties) {
    render::properties_text(out, render::layout_properties(need_layout(value, "--properties"), policy));
  }
  if (options.table) {
    render::layout_table(out, need_layout(value, "--table"));
  }
  return exit_code;
}

namespace {

Value batch_value(const std::string& line, const Policy& policy) {
  const Json json = Json::parse(line, nullptr, false);
  const auto bad = [](const std::string& what) {
    throw Error(ErrorKind::bad_input, what + R"(, expected {"op": "name", "args": ["text", ...]})");
  };
  if (json.is_discarded() || !json.is_object()) {
    bad("the line is not a JSON object");
  }
  if (!json.contains("op") || !json["op"].is_string() || !json.contains("args") || !json["args"].is_array()) {
    bad("the line lacks op or args");
  }
  std::vector<Value> arguments;
  for (const Json& a : json["args"]) {
    if (!a.is_string()) {
      bad("an argument is not a string");
    }
    arguments.push_back(layout::evaluate(a.get_ref<const std::string&>(), policy));
  }
  return layout::call(json["op"].get_ref<const std::string&>(), arguments, policy);
}

}  // namespace

void run_layout_batch(std::istream& in, std::ostream& out, bool cute, const BatchProgress& progress) {
  const Policy policy(cute ? Semantics::cute : Semantics::correct);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (progress) {
      progress(at, text.size());
    }
    Json answer;
    try {
      answer["result"] = to_string(batch_value(line, policy));
    } catch (const Error& e) {
      answer["error"] = e.what();
    }
    out << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
}

}  // namespace tileloom::cli
