// SPDX-License-Identifier: Apache-2.0
// Answers of `trace`. Each keeps its kernel and its question, by which it prints itself as the command does.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/trace_kernel.hpp"
#include "kernel.hpp"
#include "tileloom/trace/explain.hpp"
#include "tileloom/trace/route.hpp"
#include "tileloom/trace/tile_map.hpp"

namespace tileloom::python {

struct Answer {
  PyKernel kernel;
  cli::TraceQuestion question;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] cli::Json json() const;
};

struct OverviewAnswer : Answer {
  trace::Overview overview;
  std::vector<trace::ThreadElements> elements;  // where a thread was named
};
struct TensorsAnswer : Answer {
  std::vector<trace::StageLayouts> stages;
};
struct ExplainedAnswer : Answer {
  std::vector<trace::ExplainedTensor> tensors;
};
struct MapAnswer : Answer {
  trace::TileMap map;
};
struct RouteAnswer : Answer {
  trace::Route route;
};
struct RegisterAnswer : Answer {
  trace::RegisterReport report;
};

void bind_route(nanobind::module_& m);
void bind_overview(nanobind::module_& m);
void bind_elements(nanobind::module_& m);

}  // namespace tileloom::python
