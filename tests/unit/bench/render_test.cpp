// SPDX-License-Identifier: Apache-2.0
// Measured shapes as table, CSV and text of a comparison.
#include <gtest/gtest.h>

#include <sstream>

#include "render/bench_compare_text.hpp"
#include "render/bench_csv.hpp"
#include "render/bench_table.hpp"
#include "unit/bench/support.hpp"

namespace tileloom::bench {
namespace {

using render::bar;
using render::bench_csv;
using test::empty_report;
using test::timed;

Report report_of_two() {
  Report report = empty_report();
  report.accumulate = Accumulate::f16;
  for (const Shape& shape : {Shape{1024, 1024, 1024, ""}, Shape{16, 6144, 4096, "a, \"b\""}}) {
    MeasuredShape& measured = report.shapes.emplace_back();
    measured.shape = shape;
    measured.result.contenders = {timed(shape, "auto", {5e-6, 5.5e-6, 5e-6}),
                                  timed(shape, "multistage_128x256x32_f16@3", {8e-6, 8e-6, 8e-6}),
                                  timed(shape, "cublas", {4e-6, 4e-6, 4e-6}, ContenderKind::cublas)};
  }
  report.shapes[0].result.contenders[0].sm_mhz = 1979.6;
  report.shapes[0].result.contenders[0].watts = 512.4;
  return report;
}

std::string table_of(const Report& report) {
  std::ostringstream out;
  const auto table = bench_table(report, render::bench_columns(report));
  table->head(out);
  for (const MeasuredShape& measured : report.shapes) {
    table->rows(out, measured);
  }
  return out.str();
}

std::string summary_of(const Report& report) {
  std::ostringstream out;
  render::bench_summary(out, report);
  return out.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Bar, LengthFollowsTheFraction) {
  EXPECT_EQ(bar(0, 12, false), "");
  EXPECT_EQ(bar(1, 12, false), "######");
  EXPECT_EQ(bar(0.5, 12, false), "###");
  EXPECT_EQ(bar(9, 12, false), "############") << "no wider than its column";
  EXPECT_EQ(bar(1, 12, true), "\u2588\u2588\u2588\u2588\u2588\u2588");
  EXPECT_EQ(bar(3.0 / 48, 12, true), "\u258D") << "three eighths of a cell";
  EXPECT_EQ(bar(9, 12, true), bar(2, 12, true));
}

TEST(BenchTable, OneLineAShapeAndOneAContender) {
  EXPECT_EQ(table_of(report_of_two()),
            "m,n,k                               us  TFLOPS  TB/s /cublas IQR %   MHz   W % best\n"
            "1024,1024,1024\n"
            "  auto                            5.00   429.5  1.26   0.800   5.0~ 1980 512   80.0 #####\n"
            "  multistage_128x256x32_f16@3     8.00   268.4  0.79   0.500   0.0     -   -   50.0 ###\n"
            "  cublas                          4.00   536.9  1.57   1.000   0.0     -   -  100.0 ######\n"
            "16,6144,4096  a, \"b\"\n"
            "  auto                            5.00   161.1 10.13   0.800   5.0~    -   -   80.0 #####\n"
            "  multistage_128x256x32_f16@3     8.00   100.7  6.33   0.500   0.0     -   -   50.0 ###\n"
            "  cublas                          4.00   201.3 12.66   1.000   0.0     -   -  100.0 ######\n");
}

TEST(BenchTable, PartsAreOfTheCeilingWhereItIsKnown) {
  Report report = report_of_two();
  report.ceilings = {{"mma.sync f16", "TFLOPS", 500, 429.4967296, {}, {}}, {"mma.sync f32", "TFLOPS", 1, 1, {}, {}}};
  const std::vector<std::string> lines = lines_of(table_of(report));
  EXPECT_NE(lines[0].find("% mma"), std::string::npos);
  EXPECT_NE(lines[2].find(" 100.0 ######"), std::string::npos) << lines[2];
  EXPECT_NE(lines[4].find(" 125.0 ########"), std::string::npos) << lines[4];
}

TEST(BenchTable, IsNoWiderThan100ForShippedNames) {
  Report report = report_of_two();
  for (MeasuredShape& m : report.shapes) {
    m.result.contenders.push_back(timed(m.shape, "cublaslt-best", {4e-6, 4e-6, 4e-6}, ContenderKind::cublaslt_best));
  }
  report.ceilings = {{"mma.sync f16", "TFLOPS", 500, 150, {}, {}}};
  for (const std::string& line : lines_of(table_of(report) + summary_of(report))) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(BenchSummary, NamesTheWorstShapeAndNoise) {
  EXPECT_EQ(summary_of(report_of_two()),
            "\n"
            "speed of                     over           shapes  geomean    best   worst  at\n"
            "fastest of 2                 cublas              2    0.800   0.800   0.800  1024,1024,1024\n"
            "auto                         cublas              2    0.800   0.800   0.800  1024,1024,1024\n"
            "multistage_128x256x32_f16@3  cublas              2    0.500   0.500   0.500  1024,1024,1024\n"
            "auto                         fastest other       2    1.600   1.600   1.600  1024,1024,1024\n"
            "noisy (~): 2 of 6 timings, whose median is uncertain by more than 0.7 %\n");
}

// The second article's table, from contenders of both ways of writing.
TEST(ArticleTable, ShowsTheFastestOfEachColumnAndTheGain) {
  Report report = empty_report();
  report.article = 2;
  const Shape shape{4096, 4096, 4096, ""};
  report.shapes.push_back({shape, {}});
  report.shapes[0].result.contenders = {timed(shape, "handwritten_128x128x16_f16@2", {5e-4, 5e-4}),
                                        timed(shape, "handwritten_128x128x32_f16@3", {4e-4, 4e-4}),
                                        timed(shape, "handwritten_128x256x32_f16@3", {32e-5, 32e-5}),
                                        timed(shape, "multistage_128x256x32_f16@3", {32e-5, 32e-5}),
                                        timed(shape, "cublas", {2e-4, 2e-4}, ContenderKind::cublas)};
  EXPECT_EQ(table_of(report),
            " m=n=k   by hand   128x256      CuTe    gain %         cublas   ratio   IQR %  SM MHz    W\n"
            "  4096     343.6     429.5     429.5     +25.0          687.2   0.625     0.0       -    -\n");
  EXPECT_EQ(summary_of(report),
            "\n"
            "speed of      over           shapes  geomean    best   worst  at\n"
            "fastest of 4  cublas              1    0.625   0.625   0.625  4096,4096,4096\n"
            "\n"
            "CuTe over by hand: +25.0 %, geometric mean of 1 sizes\n"
            "by hand   fastest at so many sizes: handwritten_128x128x32_f16@3 (1)\n"
            "128x256   fastest at so many sizes: handwritten_128x256x32_f16@3 (1)\n"
            "CuTe      fastest at so many sizes: multistage_128x256x32_f16@3 (1)\n");
}

TEST(Ceilings, AreATable) {
  std::ostringstream out;
  render::ceilings_text(out, {{"mma.sync f16", "TFLOPS", 661.25, 640.5, 1700, 699}, {"copy", "TB/s", 4.1, 4, {}, {}}});
  EXPECT_EQ(out.str(),
            "ceiling       unit       burst  sustained  SM MHz     W\n"
            "mma.sync f16  TFLOPS    661.25     640.50    1700   699\n"
            "copy          TB/s        4.10       4.00       -     -\n");
}

TEST(BenchCsv, QuotesAndLeavesOutWhatIsNotKnown) {
  const std::vector<std::string> lines = lines_of(bench_csv(report_of_two()));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(
      lines[0],
      "name,m,n,k,contender,kind,kernel,algorithm,stages,raster_width_tiles,seconds_median,seconds_min,seconds_max,"
      "spread,noisy,tflops,terabytes_per_second,speed_over_cublas,speed_over_cublaslt_best,sm_mhz,watts");
  EXPECT_EQ(lines[4].substr(0, lines[4].find(",5e-06")), "\"a, \"\"b\"\"\",16,6144,4096,auto,kernel,auto,,0,0");
  EXPECT_TRUE(lines[4].ends_with(",,,")) << lines[4];
  EXPECT_TRUE(lines[1].ends_with(",,1979.6,512.4")) << lines[1];
  EXPECT_NEAR(std::stod(lines[1].substr(lines[1].rfind(",0.") + 1)), 0.8, 1e-9) << lines[1];
}

std::string comparison_of(const Report& before, const Report& after) {
  std::ostringstream out;
  render::comparison_text(out, "old.json", before, compare(before, after));
  return out.str();
}

TEST(CompareText, ShowsWhatChanged) {
  const Report before = report_of_two();
  Report after = before;
  const std::string head = "\nagainst old.json: A <GPU> & more, 2026-11-30, hot buffers\n";
  EXPECT_EQ(comparison_of(before, after).find(head + "nothing changed by more than the two runs' spread\n"), 0U);
  after.shapes[1].result.contenders[1] =
      timed(after.shapes[1].shape, "multistage_128x256x32_f16@3", {4e-6, 4e-6, 4e-6});
  after.shapes[0].result.contenders[2].label = "another";
  EXPECT_EQ(comparison_of(before, after),
            head +
                "m,n,k               contender                     before    after   new/old  spreads %\n"
                "16,6144,4096        multistage_128x256x32_f16@3    100.7    201.3     2.000        0.0  faster\n"
                "\n"
                "new/old                      shapes   geomean  faster  slower\n"
                "auto                              2     1.000       0       0\n"
                "multistage_128x256x32_f16@3       2     1.414       1       0\n"
                "cublas                            1     1.000       0       0\n"
                "not compared: 1 timings of the old run alone, 1 of the new\n");
  after.shapes.clear();
  EXPECT_EQ(comparison_of(before, after), head + "no contender ran at the same sizes in both\n");
}

}  // namespace
}  // namespace tileloom::bench
