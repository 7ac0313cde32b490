// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "render/bench_plot.hpp"
#include "render/draw/text.hpp"

namespace tileloom::render {
namespace {

using draw::xml_text;

// Six of P. Tol's "bright" scheme, made for lines and for colour-blind eyes (Colour Schemes, SRON/EPS/TN/09-002), and
// black. Marks and dashes differ too, for more series than colours and for grey.
constexpr std::array<std::string_view, 7> colours{"4477AA", "EE6677", "228833", "AA3377", "CCBB44", "66CCEE", "000000"};
constexpr std::array<std::string_view, 3> dashes{"none", "6 3", "2 3"};
constexpr std::array<std::string_view, 4> marks{"M-3.5 -3.5h7v7h-7z", "M0 -4.5L4.5 0L0 4.5L-4.5 0z",
                                                "M0 -4.5L4.2 3.5h-8.4z", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"};

constexpr double left = 62;
constexpr double plot_width = 640;
constexpr double plot_height = 300;
constexpr double panel_step = plot_height + 56;
constexpr double legend_x = left + plot_width + 24;
constexpr double row_height = 16;
constexpr double character = 6.1;  // of 10 px monospace

// Limits of an axis and the distance of its ticks.
struct Axis {
  double low = 0, high = 1, step = 1;
};

double nice_step(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 5)));
  const double part = range / 5 / power;
  return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

Axis y_axis(const PlotPanel& panel) {
  double most = 0;
  for (const PlotSeries& series : panel.series) {
    for (const PlotPoint& p : series.points) {
      most = std::max(most, p.y);
    }
  }
  for (const PlotLine& line : panel.lines) {
    most = std::max(most, line.y);
  }
  most = most > 0 ? most : 1;
  const double step = nice_step(most);
  return {0, step * std::ceil(most * 1.02 / step), step};
}

// In powers of two.
Axis x_axis(const Plot& plot) {
  double least = 0;
  double most = 0;
  bool any = false;
  for (const PlotSeries& series : plot.panels.front().series) {
    for (const PlotPoint& p : series.points) {
      const double x = std::log2(p.x);
      least = any ? std::min(least, x) : x;
      most = any ? std::max(most, x) : x;
      any = true;
    }
  }
  const double low = std::floor(least);
  return {low, std::max(low + 1, std::ceil(most)), 1};
}

class PlotWriter {
 public:
  explicit PlotWriter(const Plot& plot)
      : plot_(plot), x_(x_axis(plot)), top_(34 + row_height * static_cast<double>(plot.notes.size())) {
    for (const PlotSeries& series : plot.panels.front().series) {
      legend_width_ = std::max(legend_width_, 40 + character * static_cast<double>(series.label.size()));
    }
  }

  std::string text() {
    head();
    for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
      panel(plot_.panels[i], i);
    }
    legend();
    put("</svg>\n");
    return fmt::to_string(buffer_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }

  void head() {
    const double series = static_cast<double>(plot_.panels.front().series.size());
    const double width = std::ceil(legend_x + legend_width_ + 16);
    const double height = std::ceil(
        std::max(top_ + panel_step * static_cast<double>(plot_.panels.size()) + 8, top_ + row_height * series + 16));
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n"
        "<title>{2}</title>\n"
        "<style>\n"
        "text {{ font: 10px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #111111; }}\n"
        ".title {{ font: bold 15px 'DejaVu Sans', Helvetica, Arial, sans-serif; }}\n"
        ".axis {{ font: bold 11px 'DejaVu Sans', Helvetica, Arial, sans-serif; }}\n"
        ".note {{ fill: #555555; }}\n"
        ".grid {{ stroke: #DDDDDD; stroke-width: 0.7; }}\n"
        ".frame {{ fill: none; stroke: #555555; }}\n"
        ".line {{ stroke: #555555; stroke-width: 1.2; stroke-dasharray: 8 4; }}\n"
        ".join {{ fill: none; stroke-width: 1.5; }}\n",
        width, height, xml_text(plot_.title));
    for (std::size_t i = 0; i < colours.size(); ++i) {
      put(".s{0} .mark {{ fill: #{1}; }} .s{0} .join {{ stroke: #{1}; }}\n", i, colours[i]);
    }
    put("</style>\n<rect width=\"{}\" height=\"{}\" fill=\"#FFFFFF\"/>\n", width, height);
    put("<text class=\"title\" x=\"16\" y=\"22\">{}</text>\n", xml_text(plot_.title));
    double y = 38;
    for (const std::string& note : plot_.notes) {
      put("<text class=\"note\" x=\"16\" y=\"{}\">{}</text>\n", y, xml_text(note));
      y += row_height;
    }
  }

  [[nodiscard]] double px(double x) const { return left + plot_width * (std::log2(x) - x_.low) / (x_.high - x_.low); }
  static double py(double y, const Axis& axis, double top) {
    return top + plot_height * (1 - (y - axis.low) / (axis.high - axis.low));
  }

  void panel(const PlotPanel& panel, std::size_t number) {
    const double top = top_ + panel_step * static_cast<double>(number);
    const Axis y = y_axis(panel);
    put("<g id=\"panel-{}\">\n", number);
    axes(panel, y, top);
    for (const PlotLine& line : panel.lines) {
      const double at = py(line.y, y, top);
      put("<path class=\"line\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>"
          "<text class=\"limit\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          left, at, plot_width, left + 6, at - 4, xml_text(line.label));
    }
    for (const PlotSeries& series : panel.series) {
      draw(series, y, top);
    }
    put("</g>\n");
  }

  void axes(const PlotPanel& panel, const Axis& y, double top) {
    const auto ticks = static_cast<int>(std::lround((y.high - y.low) / y.step));
    for (int i = 0; i <= ticks; ++i) {
      const double value = y.low + i * y.step;
      const double at = py(value, y, top);
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{:.1f}\"/><text class=\"ytick\" x=\"{:.1f}\" y=\"{:.1f}\" "
          "text-anchor=\"end\">{:.6g}</text>\n",
          left, at, plot_width, left - 6, at + 3.5, value);
    }
    for (int power = static_cast<int>(x_.low); power <= static_cast<int>(x_.high); ++power) {
      const double at = px(std::exp2(power));
      put("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{:.1f}\"/><text class=\"xtick\" x=\"{:.1f}\" y=\"{:.1f}\" "
          "text-anchor=\"middle\">{:.6g}</text>\n",
          at, top, plot_height, at, top + plot_height + 14, std::exp2(power));
    }
    put("<rect class=\"frame\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", left, top, plot_width,
        plot_height);
    put("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", left + plot_width / 2,
        top + plot_height + 30, xml_text(plot_.x_title));
    const double middle = top + plot_height / 2;
    put("<text class=\"axis\" x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 "
        "{0:.1f})\">{1}</text>\n",
        middle, xml_text(panel.y_title));
  }

  static std::size_t colour(const PlotSeries& series) {
    return static_cast<std::size_t>(series.style) % colours.size();
  }
  static std::string_view dash(const PlotSeries& series) {
    return dashes.at(static_cast<std::size_t>(series.style) / colours.size() % dashes.size());
  }
  static std::string_view mark(const PlotSeries& series) {
    return marks.at(static_cast<std::size_t>(series.style) % marks.size());
  }

  void draw(const PlotSeries& series, const Axis& y, double top) {
    put("<g class=\"series s{}\">\n", colour(series));
    if (plot_.joined && series.points.size() > 1) {
      put("<polyline class=\"join\" stroke-dasharray=\"{}\" points=\"", dash(series));
      for (const PlotPoint& p : series.points) {
        put("{:.1f},{:.1f} ", px(p.x), py(p.y, y, top));
      }
      put("\"/>\n");
    }
    for (const PlotPoint& p : series.points) {
      put("<path class=\"mark\" transform=\"translate({:.1f} {:.1f})\" d=\"{}\"><title>{}</title></path>\n", px(p.x),
          py(p.y, y, top), mark(series), xml_text(p.note));
    }
    put("</g>\n");
  }

  void legend() {
    put("<g id=\"legend\">\n");
    double y = top_ + 8;
    for (const PlotSeries& series : plot_.panels.front().series) {
      put("<g class=\"s{}\">", colour(series));
      if (plot_.joined) {
        put("<path class=\"join\" stroke-dasharray=\"{}\" d=\"M{:.1f} {:.1f}h24\"/>", dash(series), legend_x, y);
      }
      put("<path class=\"mark\" transform=\"translate({:.1f} {:.1f})\" d=\"{}\"/></g>"
          "<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
          legend_x + 12, y, mark(series), legend_x + 32, y + 3.5, xml_text(series.label));
      y += row_height;
    }
    put("</g>\n");
  }

  const Plot& plot_;
  Axis x_;
  double top_;
  double legend_width_ = 80;
  fmt::memory_buffer buffer_;
};

}  // namespace

void write_plot(std::ostream& out, const Plot& plot) {
  out << PlotWriter(plot).text();
}

}  // namespace tileloom::render
