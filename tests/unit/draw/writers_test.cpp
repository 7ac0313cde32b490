// SPDX-License-Identifier: Apache-2.0
// The writers: committed pictures, texts that could break them, limits, and the colours.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "render/draw/layout_pictures.hpp"
#include "render/draw/owner_pictures.hpp"
#include "render/draw/text.hpp"
#include "unit/draw/support.hpp"

namespace tileloom::render::draw {
namespace {

std::string golden(const std::string& name) {
  std::ifstream in(std::string(TILELOOM_TEST_DATA) + "/unit/draw/golden/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `tileloom draw ... -o tests/unit/draw/golden/NAME` makes them anew.
TEST(Writers, committed_pictures) {
  const Picture layout = layout_picture(any("((_2,_2),_3):((_1,_6),_2)"));
  const Picture banks = bank_picture(any("Sw<1,2,1> o _0 o (_8,_8):(_8,_1)"), 16);
  const Picture atom = mma_picture(hw::mma_atom("SM70_8x8x4_F16F16F16F16_TN"));
  EXPECT_EQ(svg_of(layout), golden("layout.svg"));
  EXPECT_EQ(latex_of(layout), golden("layout.tex"));
  EXPECT_EQ(svg_of(banks), golden("banks.svg"));
  EXPECT_EQ(latex_of(atom), golden("quad_pair.tex"));
}

TEST(Writers, pictures_of_the_documentation_are_up_to_date) {
  const auto page = [](const std::string& name) {
    std::ifstream in(std::string(TILELOOM_SOURCE_DIR) + "/docs/pictures/" + name);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_EQ(svg_of(mma_picture(hw::mma_atom("SM80_16x8x16_F16F16F16F16_TN"))), page("mma-m16n8k16.svg"));
  EXPECT_EQ(svg_of(bank_picture(any("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"), 16)), page("banks-swizzled.svg"));
}

// --- Texts -------------------------------------------------------------------------------------------------------

const std::string hostile = "a<b>&\"c'\\d{e}f$g#h%i_j^k~l\n\\input{/etc/passwd}\t</text>";

TEST(Writers, xml_keeps_every_text) {
  Picture p = layout_picture(any("(_2,_2):(_1,_2)"));
  p.title = hostile;
  p.panels[0].cells[1].text = "<&>";
  const test::Svg svg = read_back(p);
  EXPECT_EQ(svg.title, hostile);
  EXPECT_EQ(svg.panels.at("panel").at({0, 1}).texts, std::vector<std::string>{"<&>"});
  EXPECT_TRUE(svg.references.empty());
}

TEST(Writers, xml_replaces_what_it_cannot_hold) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_text(std::string("a\0b\x1f", 4)), "a" + r + "b" + r);
  EXPECT_EQ(xml_text("\xE7\x93\xA6 \xF0\x9F\x98\x80"), "\xE7\x93\xA6 \xF0\x9F\x98\x80");
  EXPECT_EQ(xml_text("\xff"), r);
  EXPECT_EQ(xml_text("\xC0\x80"), r + r);                  // an overlong zero
  EXPECT_EQ(xml_text("\xED\xA0\x80"), r + r + r);          // a surrogate
  EXPECT_EQ(xml_text("\xEF\xBF\xBE"), r + r + r);          // U+FFFE
  EXPECT_EQ(xml_text("\xE7\x93"), r + r);                  // cut
  EXPECT_EQ(xml_text("\xF4\x90\x80\x80"), r + r + r + r);  // beyond Unicode
  std::string all;
  for (int c = 0; c < 256; ++c) {
    all += static_cast<char>(c);
  }
  Picture p = layout_picture(any("_2:_1"));
  p.title = all;
  p.notes.push_back(all + "\xE7\x93\xA6");
  EXPECT_NO_THROW((void)read_back(p));
}

// Unescaped characters of a text that mean something to TeX.
std::string live_characters(const std::string& tex) {
  std::string live;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    if (tex[i] == '\\') {
      ++i;
    } else if (std::string_view("$&#^_~%").find(tex[i]) != std::string::npos) {
      live += tex[i];
    }
  }
  return live;
}

// Comments removed, braces and environments closed in order.
void expect_sound(const std::string& tex) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < tex.size(); ++i) {
    if (tex[i] == '%') {
      i = tex.find('\n', i);
    } else if (tex.compare(i, 7, "\\begin{") == 0) {
      open.push_back(tex.substr(i + 6, tex.find('}', i) - i - 5));
      i = tex.find('}', i);
    } else if (tex.compare(i, 5, "\\end{") == 0) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tex.substr(i + 4, tex.find('}', i) - i - 3));
      open.pop_back();
      i = tex.find('}', i);
    } else if (tex[i] == '\\') {
      ++i;
    } else if (tex[i] == '{') {
      open.emplace_back("{");
    } else if (tex[i] == '}') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), "{");
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Writers, latex_of_any_text_is_sound) {
  EXPECT_EQ(
      latex_text("a\\b{c}$_^~<>&#%\xE7"),
      "a\\textbackslash{}b\\{c\\}\\$\\_\\textasciicircum{}\\textasciitilde{}\\textless{}\\textgreater{}\\&\\#\\%?");
  EXPECT_EQ(live_characters(latex_text(hostile)), "");
  EXPECT_EQ(latex_comment("a\nb\r\\c"), "a?b?\\c");
  Picture p = layout_picture(any("(_2,_2):(_1,_2)"));
  p.title = hostile;
  p.notes.push_back(hostile);
  p.panels[0].title = hostile;
  p.panels[0].cells[2].text = hostile;
  const std::string tex = latex_of(p);
  expect_sound(tex);
  EXPECT_EQ(tex.find("\n\\input"), std::string::npos);
}

TEST(Writers, latex_has_each_cell_once) {
  for (const Picture& p : {layout_picture(any("(_5,_7):(_7,_1)")), mma_picture(hw::mma_atom("m16n8k16 f16")),
                           bank_picture(any("(_8,_64):(_64,_1)"), 16)}) {
    const std::string tex = latex_of(p);
    expect_sound(tex);
    std::size_t at = tex.find("\\begin{document}");
    for (const Panel& panel : p.panels) {
      for (std::size_t i = 0; i < panel.cells.size(); ++i) {
        const Cell& c = panel.cells[i];
        const auto columns = static_cast<std::size_t>(panel.columns);
        const std::string line = "\\tilecell{" + std::to_string(panel.row + static_cast<int>(i / columns)) + "}{" +
                                 std::to_string(panel.column + static_cast<int>(i % columns)) + "}{" +
                                 std::to_string(c.colour) + "}{" + c.text +
                                 (c.detail.empty() ? "" : "\\\\" + c.detail) + "}\n";
        at = tex.find("\\tilecell", at);
        ASSERT_EQ(tex.substr(at, line.size()), line);
        ++at;
      }
    }
    EXPECT_EQ(tex.find("\\tilecell", at), std::string::npos);
  }
}

TEST(Writers, what_is_too_large_for_tex_is_refused) {
  EXPECT_EQ(
      error_of([] { return latex_of(layout_picture(any("(_129,_128):(_128,_1)"))); }),
      std::pair(std::string("draw: 16512 cells in 131 rows and 129 columns, a LaTeX picture holds at most 16384 in "
                            "400 and 400"),
                std::string("write an SVG, or draw a part")));
  EXPECT_TRUE(
      error_of([] { return latex_of(layout_picture(any("(_2,_400):(_400,_1)"))); }).first.starts_with("draw: 800 "));
  EXPECT_EQ(error_of([] { return latex_of(layout_picture(any("(_128,_128):(_128,_1)"))); }).first, "accepted");
}

// The natural size of a picture up to 1600, its proportions kept beyond.
TEST(Writers, large_pictures_are_scaled) {
  const auto size = [](const std::string& layout) {
    const std::string svg = svg_of(layout_picture(any(layout)));
    std::array<int, 4> n{};
    std::sscanf(svg.c_str() + svg.find("viewBox"), "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"", &n[0], &n[1],
                &n[2], &n[3]);
    return n;
  };
  const auto small = size("(_8,_8):(_8,_1)");
  EXPECT_EQ(small[0], small[2]);
  EXPECT_EQ(small[1], small[3]);
  const auto large = size("(_64,_256):(_256,_1)");
  EXPECT_GT(large[0], 1600);
  EXPECT_EQ(large[2], 1600);
  EXPECT_NEAR(large[3], 1600.0 * large[1] / large[0], 1.0);
}

// --- Colours -----------------------------------------------------------------------------------------------------

using Rgb = std::array<double, 3>;

Rgb linear(std::string_view hex) {
  Rgb rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

double luminance(const Rgb& c) {
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

// CIE L*a*b*, D65.
Rgb lab(const Rgb& c) {
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
  const double y = f(luminance(c));
  const double z = f((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// How eyes without one kind of cone see a colour: G. Machado, M. Oliveira, L. Fernandes, A Physiologically-based Model
// for Simulation of Color Vision Deficiency, 2009, severity 1.
constexpr std::array<std::array<Rgb, 3>, 4> eyes{
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

Rgb seen(const Rgb& c, const std::array<Rgb, 3>& eye) {
  Rgb out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = std::clamp(eye[i][0] * c[0] + eye[i][1] * c[1] + eye[i][2] * c[2], 0.0, 1.0);
  }
  return out;
}

// WCAG 2: enhanced contrast is 7 : 1. A difference of 10 is seen at a glance (2.3 is the least that is seen).
TEST(Palette, text_is_readable_and_colours_differ_for_all_eyes) {
  const double text = luminance(linear("111111"));
  for (const std::string_view colour : palette) {
    EXPECT_GE((luminance(linear(colour)) + 0.05) / (text + 0.05), 7.0) << colour;
  }
  for (const auto& eye : eyes) {
    for (std::size_t i = 0; i < palette.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Rgb a = lab(seen(linear(palette.at(i)), eye));
        const Rgb b = lab(seen(linear(palette.at(j)), eye));
        EXPECT_GE(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 10.0) << palette.at(i) << " " << palette.at(j);
      }
    }
  }
}

}  // namespace
}  // namespace tileloom::render::draw
