// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_kernel.hpp"

#include <array>

#include "cli/arguments.hpp"
#include "cli/trace_json.hpp"
#include "render/trace_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {

using trace::Kernel;
using trace::Operand;

namespace {

struct Element {
  Operand operand = Operand::a;
  hw::MatrixPosition position;
  std::int64_t k_tile = 0;
};

// A:0,9 and A:0,9,2
Element parse_element(const std::string& text) {
  const auto refuse = [&]() -> Element {
    throw Error(ErrorKind::bad_input, "--element: expected OPERAND:ROW,COLUMN or with ,K-TILE, found '" + text + "'",
                "for example A:0,9: row and column in the CTA's tile, B's row is n");
  };
  const std::size_t letter = std::string("ABDC").find(text.front());
  if (letter == std::string::npos || text.size() < 2 || text[1] != ':') {
    return refuse();
  }
  std::vector<std::string> numbers(1);
  for (const char c : text.substr(2)) {
    c == ',' ? numbers.emplace_back() : numbers.back() += c;
  }
  const std::size_t most = letter < 2 ? 3 : 2;
  if (numbers.size() < 2 || numbers.size() > most) {
    return refuse();
  }
  const auto number = [&](std::size_t i, const char* what) {
    return parse_count(std::string("--element, ") + what, numbers[i], 0, INT32_MAX);
  };
  const std::array operands{Operand::a, Operand::b, Operand::c, Operand::c};
  return {operands.at(letter),
          {static_cast<int>(number(0, "row")), static_cast<int>(number(1, "column"))},
          numbers.size() > 2 ? number(2, "k-tile") : 0};
}

void print_json(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void follow(const Kernel& kernel, const TraceQuestion& q, Json json, std::ostream& out) {
  const Element e = parse_element(q.element);
  const trace::Route route = trace::RouteTracer(kernel).follow(e.operand, e.position, e.k_tile);
  if (q.json) {
    json["kernel"] = kernel_json(kernel);
    json["route"] = route_json(route);
    print_json(out, json);
  } else {
    render::route_text(out, kernel, route);
  }
}

void look_into(const Kernel& kernel, const TraceQuestion& q, Json json, std::ostream& out) {
  if (q.lane.empty()) {
    throw Error(ErrorKind::bad_input, "trace: --register without --lane",
                "for example --register a2 --lane 0 --warp 1");
  }
  const int lane = static_cast<int>(parse_count("--lane", q.lane, 0, 31));
  const int warp = q.warp.empty() ? 0 : static_cast<int>(parse_count("--warp", q.warp, 0, 31));
  const auto contents = trace::RouteTracer(kernel).contents(q.register_name, warp, lane);
  if (q.json) {
    json["kernel"] = kernel_json(kernel);
    json["register"] = contents_json(q.register_name, warp, lane, contents);
    print_json(out, json);
  } else {
    render::contents_text(out, kernel, q.register_name, warp, lane, contents);
  }
}

}  // namespace

void run_trace_kernel(const Kernel& kernel, const TraceQuestion& q, const Json& header, std::ostream& out) {
  if (!q.register_name.empty() && !q.element.empty()) {
    throw Error(ErrorKind::bad_input, "trace: both --element and --register", "give one of them");
  }
  if (q.register_name.empty() && !(q.lane.empty() && q.warp.empty())) {
    throw Error(ErrorKind::bad_input, "trace: --lane and --warp belong to --register");
  }
  // A copy at which CuTe would stop has no route either.
  const std::int64_t thread = q.thread.empty() ? 0 : parse_count("--thread", q.thread, 0, kernel.threads() - 1);
  const trace::Overview all = overview(kernel, thread);
  if (!q.element.empty()) {
    follow(kernel, q, header, out);
  } else if (!q.register_name.empty()) {
    look_into(kernel, q, header, out);
  } else if (q.json) {
    Json json = header;
    json["kernel"] = kernel_json(kernel);
    json.update(overview_json(all));
    print_json(out, json);
  } else {
    render::overview_text(out, kernel, all);
  }
}

}  // namespace tileloom::cli
