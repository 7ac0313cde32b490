// SPDX-License-Identifier: Apache-2.0
// Measured shapes as a plot: TFLOPS over size with the ceilings, and under it the speed over a baseline.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "bench/results.hpp"

namespace tileloom::render {

struct PlotPoint {
  double x = 0;      // (m n k)^(1/3)
  double y = 0;      // TFLOPS, or the ratio
  std::string note;  // shown on pointing at it: `1024,1024,1024: 480.1`
};

struct PlotSeries {
  std::string label;
  int style = 0;  // of the label, the same in both panels
  std::vector<PlotPoint> points;
};

struct PlotLine {  // across the panel
  std::string label;
  double y = 0;
};

struct PlotPanel {
  std::string y_title;
  std::vector<PlotSeries> series;
  std::vector<PlotLine> lines;
};

struct Plot {
  std::string title;
  std::vector<std::string> notes;
  std::string x_title;
  bool joined = false;  // squares, from small to large: points of a series are joined
  std::vector<PlotPanel> panels;
};

// Precondition: the report has shapes. Without a baseline there is one panel.
[[nodiscard]] Plot bench_plot(const bench::Report& report);

// SVG 1.1, one file with nothing from outside. Each series is a <g class="series"> with one <path class="mark"> a
// point, whose <title> is the point's note.
void write_plot(std::ostream& out, const Plot& plot);

}  // namespace tileloom::render
