// SPDX-License-Identifier: Apache-2.0
// Plots, read back from their SVG.
#include <expat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "render/bench_plot.hpp"
#include "unit/bench/support.hpp"

namespace tileloom::bench {
namespace {

using render::bench_plot;
using render::Plot;
using test::empty_report;
using test::timed;

struct Text {
  std::string kind, text;
  double x = 0, y = 0;
};
struct Mark {
  std::string panel, series, note;
  double x = 0, y = 0;
};

// What is in the file: texts by their class, and the marks of the series with their places.
struct ReadPlot {
  std::vector<Text> texts;
  std::vector<Mark> marks;
  std::map<std::string, std::string> colours;  // of s0, s1 ... as the style sheet says
  int joins = 0;

  [[nodiscard]] std::vector<Text> of(const std::string& kind) const {
    std::vector<Text> found;
    std::ranges::copy_if(texts, std::back_inserter(found), [&](const Text& t) { return t.kind == kind; });
    return found;
  }
};

class Reader {
 public:
  static ReadPlot read(const Plot& plot) {
    std::ostringstream out;
    write_plot(out, plot);
    const std::string text = out.str();
    Reader reader;
    const XML_Parser parser = XML_ParserCreate(nullptr);
    XML_SetUserData(parser, &reader);
    XML_SetElementHandler(parser, &Reader::start, &Reader::end);
    XML_SetCharacterDataHandler(parser, [](void* self, const char* s, int n) {
      static_cast<Reader*>(self)->text_.append(s, static_cast<std::size_t>(n));
    });
    EXPECT_EQ(XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1), XML_STATUS_OK)
        << XML_ErrorString(XML_GetErrorCode(parser));
    XML_ParserFree(parser);
    return reader.plot_;
  }

 private:
  using Attributes = std::map<std::string, std::string>;

  static void start(void* self, const char* name, const char** pairs) {
    Attributes a;
    for (; *pairs != nullptr; pairs += 2) {
      a[pairs[0]] = pairs[1];
    }
    static_cast<Reader*>(self)->open(name, a);
  }
  static void end(void* self, const char* name) { static_cast<Reader*>(self)->close(name); }

  void open(const std::string& name, const Attributes& a) {
    text_.clear();
    attributes_ = a;
    const std::string kind = a.contains("class") ? a.at("class") : "";
    if (name == "g") {
      panel_ = a.contains("id") ? a.at("id") : panel_;
      series_ = kind;
    } else if (kind == "mark" && panel_ != "legend") {
      Mark mark{panel_, series_, "", 0, 0};
      EXPECT_EQ(std::sscanf(a.at("transform").c_str(), "translate(%lf %lf)", &mark.x, &mark.y), 2);
      plot_.marks.push_back(mark);
    } else if (name == "polyline") {
      ++plot_.joins;
    }
  }

  void close(const std::string& name) {
    if (name == "text") {
      plot_.texts.push_back(
          {attributes_["class"], text_, std::stod(attributes_.at("x")), std::stod(attributes_.at("y"))});
    } else if (name == "title" && !plot_.marks.empty()) {
      plot_.marks.back().note = text_;
    } else if (name == "style") {
      styles();
    }
  }

  void styles() {
    std::istringstream lines(text_);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(".s")) {
        plot_.colours[line.substr(1, line.find(' ') - 1)] = line.substr(line.find('#'), 7);
      }
    }
  }

  ReadPlot plot_;
  std::string text_, panel_, series_;
  Attributes attributes_;
};

Report squares() {
  Report report = empty_report();
  double speed = 100;
  for (const std::int64_t size : {256, 1024, 4096}) {
    const Shape shape{size, size, size, ""};
    const double seconds = 1e-12 * operations(shape) / speed;
    MeasuredShape& measured = report.shapes.emplace_back();
    measured.shape = shape;
    measured.result.contenders = {timed(shape, "auto", {seconds, seconds}),
                                  timed(shape, "cublas", {seconds / 2, seconds / 2}, ContenderKind::cublas)};
    speed += 100;
  }
  return report;
}

// Where a value stands, from the ticks that stand around it.
double value_at(double place, const std::vector<Text>& ticks, double Text::*coordinate) {
  const Text& a = ticks.front();
  const Text& b = ticks.back();
  const double part = (place - a.*coordinate) / (b.*coordinate - a.*coordinate);
  return std::stod(a.text) + part * (std::stod(b.text) - std::stod(a.text));
}

TEST(BenchPlot, PointsStandWhereTheAxesSay) {
  Report report = squares();
  const ReadPlot plot = Reader::read(bench_plot(report));
  const std::vector<Text> y_ticks = plot.of("ytick");
  std::vector<Text> upper;
  std::vector<Text> lower;
  for (const Text& t : y_ticks) {
    (upper.empty() || t.y < upper.front().y + 1 ? upper : lower).push_back(t);
  }
  for (Text& t : upper) {
    t.y -= 3.5;  // the base line of a number stands so far below what it numbers
  }
  for (Text& t : lower) {
    t.y -= 3.5;
  }
  std::vector<Text> x_ticks = plot.of("xtick");
  x_ticks.resize(x_ticks.size() / 2);
  for (Text& t : x_ticks) {
    t.text = std::to_string(std::log2(std::stod(t.text)));
  }
  ASSERT_EQ(plot.marks.size(), 9U) << "two series of three points, and the ratio of one";
  for (std::size_t i = 0; i < 9; ++i) {
    const MeasuredShape& measured = report.shapes[i % 3];
    const Mark& mark = plot.marks[i];
    const double y = i < 6 ? measured.result.contenders[i / 3].tflops : 0.5;
    EXPECT_EQ(mark.panel, i < 6 ? "panel-0" : "panel-1");
    EXPECT_NEAR(value_at(mark.y, i < 6 ? upper : lower, &Text::y) / y, 1, i < 6 ? 0.02 : 0.04) << mark.note;
    EXPECT_NEAR(value_at(mark.x, x_ticks, &Text::x), std::log2(measured.shape.m), 0.01) << mark.note;
    EXPECT_NE(mark.note.find(to_string(measured.shape)), std::string::npos);
  }
}

TEST(BenchPlot, NamesAxesSeriesAndDevice) {
  const ReadPlot plot = Reader::read(bench_plot(squares()));
  std::vector<std::string> axes;
  for (const Text& t : plot.of("axis")) {
    axes.push_back(t.text);
  }
  EXPECT_EQ(axes, (std::vector<std::string>{"m = n = k", "TFLOPS", "m = n = k", "speed over cublas"}));
  ASSERT_EQ(plot.of("legend").size(), 2U);
  EXPECT_EQ(plot.of("legend")[1].text, "cublas");
  EXPECT_EQ(plot.of("title")[0].text, "tileloom bench: A <GPU> & more")
      << "characters of markup are written as entities";
  EXPECT_EQ(plot.joins, 3);
}

TEST(BenchPlot, CeilingsOfTheRunsTypeAreLines) {
  Report report = squares();
  report.ceilings = {{"mma.sync f32", "TFLOPS", 700, 640, {}, {}},
                     {"mma.sync f16", "TFLOPS", 700, 650, {}, {}},
                     {"wgmma f32", "TFLOPS", 900, 824, {}, {}},
                     {"copy", "TB/s", 4, 4, {}, {}}};
  const ReadPlot plot = Reader::read(bench_plot(report));
  std::set<std::string> names;
  for (const Text& t : plot.of("limit")) {
    names.insert(t.text);
  }
  EXPECT_EQ(names, (std::set<std::string>{"mma.sync f32 640", "wgmma f32 824", "1"}));
  EXPECT_LT(plot.of("limit")[1].y, plot.of("limit")[0].y) << "more is higher";
  for (const Text& t : plot.of("limit")) {
    EXPECT_GT(t.y, 0) << "inside the panel";
  }
}

TEST(BenchPlot, OtherShapesAreMarksAlone) {
  Report report = squares();
  report.shapes[1].shape = {1, 6144, 4096, "layer"};
  const ReadPlot plot = Reader::read(bench_plot(report));
  EXPECT_EQ(plot.joins, 0);
  EXPECT_EQ(plot.of("axis")[0].text, "size: cube root of m n k");
  EXPECT_NE(plot.marks[1].note.find("1,6144,4096 layer"), std::string::npos);
}

TEST(BenchPlot, WithoutABaselineThereIsOnePanel) {
  Report report = squares();
  for (MeasuredShape& m : report.shapes) {
    m.result.contenders.pop_back();
  }
  EXPECT_EQ(bench_plot(report).panels.size(), 1U);
  EXPECT_EQ(Reader::read(bench_plot(report)).marks.size(), 3U);
}

// More series than colours: what has the same colour has another mark or dash; colours are far apart.
TEST(BenchPlot, SeriesCanBeToldApart) {
  Report report = squares();
  for (MeasuredShape& m : report.shapes) {
    for (int i = 0; i < 18; ++i) {
      m.result.contenders.push_back(timed(m.shape, "k" + std::to_string(i), {1, 1}));
    }
  }
  std::ostringstream out;
  write_plot(out, bench_plot(report));
  const std::string text = out.str();
  std::set<std::string> looks;
  const std::string first_panel = text.substr(0, text.find("<g id=\"panel-1\""));
  for (std::size_t at = first_panel.find("<g class=\"series"); at != std::string::npos;
       at = first_panel.find("<g class=\"series", at + 1)) {
    const std::string group = first_panel.substr(at, first_panel.find("</g>", at) - at);
    const std::size_t dash = group.find("stroke-dasharray");
    const std::size_t mark = group.find(" d=\"");
    looks.insert(group.substr(0, group.find('>')) + group.substr(dash, group.find("points") - dash) +
                 group.substr(mark, group.find("\">", mark) - mark));
  }
  EXPECT_EQ(looks.size(), 20U);
  const ReadPlot plot = Reader::read(bench_plot(report));
  std::vector<std::array<int, 3>> colours;
  for (const auto& [name, colour] : plot.colours) {
    std::array<int, 3> c{};
    ASSERT_EQ(std::sscanf(colour.c_str(), "#%2x%2x%2x", reinterpret_cast<unsigned*>(&c[0]),
                          reinterpret_cast<unsigned*>(&c[1]), reinterpret_cast<unsigned*>(&c[2])),
              3);
    for (const auto& other : colours) {
      EXPECT_GT(std::hypot(c[0] - other[0], c[1] - other[1], c[2] - other[2]), 60) << colour;
    }
    colours.push_back(c);
  }
  EXPECT_EQ(colours.size(), 7U);
}

// A single point, and sizes that are no power of two, still make an axis.
TEST(BenchPlot, OneShapeIsEnough) {
  Report report = squares();
  report.shapes.resize(1);
  report.shapes[0].shape = {300, 300, 300, ""};
  const ReadPlot plot = Reader::read(bench_plot(report));
  EXPECT_EQ(plot.marks.size(), 3U);
  EXPECT_EQ(plot.of("xtick").size(), 4U);
  for (const Mark& mark : plot.marks) {
    EXPECT_TRUE(std::isfinite(mark.x) && std::isfinite(mark.y));
  }
}

}  // namespace
}  // namespace tileloom::bench
