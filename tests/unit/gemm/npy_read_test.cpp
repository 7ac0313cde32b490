// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>

#include "gemm/half.hpp"
#include "tileloom/npy.hpp"
#include "unit/gemm/error_of.hpp"
#include "unit/gemm/npy_bytes.hpp"

namespace tileloom::npy {
namespace {

using test::NpyFile;
using Bits = std::vector<std::uint16_t>;

LoadedMatrix parse(const std::string& bytes) {
  return parse_matrix(std::as_bytes(std::span(bytes)), "x.npy");
}

std::string message(const std::string& bytes) {
  const test::Caught caught = test::error_of([&] { (void)parse(bytes); });
  EXPECT_EQ(caught.exit_code, caught.message.empty() ? 0 : 2);
  return caught.message;
}

TEST(NpyRead, ReadsEveryVersionAndSpelling) {
  NpyFile file;
  file.data = test::raw(Bits{1, 2, 3, 4, 5, 6});
  for (const char major : {'\1', '\2', '\3'}) {
    file.major = major;
    for (const std::string& bytes :
         {file.bytes(), file.with_header("{\"shape\":(2,3),\"descr\":\"<f2\",\"fortran_order\":False}"),
          file.with_header("{ 'fortran_order' : False , 'descr' : '=f2', 'shape' : ( 2L , 3L , ) }      \n")}) {
      const LoadedMatrix loaded = parse(bytes);
      EXPECT_EQ(loaded.matrix.rows, 2);
      EXPECT_EQ(loaded.matrix.cols, 3);
      EXPECT_EQ(loaded.matrix.values, (Bits{1, 2, 3, 4, 5, 6}));
      EXPECT_FALSE(loaded.from_float32);
      EXPECT_FALSE(loaded.from_fortran_order);
    }
  }
}

TEST(NpyRead, TransposesFortranOrder) {
  for (const auto& [rows, cols] : {std::pair{2, 3}, {1, 5}, {5, 1}, {33, 70}, {64, 32}}) {
    Bits columns;
    for (int j = 0; j < cols; ++j) {
      for (int i = 0; i < rows; ++i) {
        columns.push_back(static_cast<std::uint16_t>(i * cols + j));
      }
    }
    NpyFile file;
    file.fortran_order = "True";
    file.shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
    file.data = test::raw(columns);
    const LoadedMatrix loaded = parse(file.bytes());
    EXPECT_TRUE(loaded.from_fortran_order);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(loaded.matrix.values[i], i);
    }
  }
}

TEST(NpyRead, RoundsFloat32AndCounts) {
  NpyFile file;
  file.descr = "'<f4'";
  file.shape = "(1, 7)";
  const float infinity = std::numeric_limits<float>::infinity();
  file.data = test::raw(
      std::vector<float>{1.0F, 0.1F, 65519.0F, 65520.0F, infinity, std::numeric_limits<float>::quiet_NaN(), 0x1p-26F});
  const LoadedMatrix loaded = parse(file.bytes());
  EXPECT_TRUE(loaded.from_float32);
  EXPECT_EQ(loaded.matrix.values, (Bits{0x3C00, 0x2E66, 0x7BFF, 0x7C00, 0x7C00, 0x7FFF, 0}));
  EXPECT_EQ(loaded.values_rounded, 4);
  EXPECT_EQ(loaded.values_overflowed, 1);
}

TEST(NpyRead, ReadsMatricesWithoutElements) {
  for (const std::string shape : {"(0, 5)", "(5, 0)", "(0, 0)", "(0, 9223372036854775807)"}) {
    NpyFile file;
    file.shape = shape;
    file.data = "";
    for (const std::string order : {"False", "True"}) {
      file.fortran_order = order;
      EXPECT_TRUE(parse(file.bytes()).matrix.values.empty()) << shape;
    }
  }
}

TEST(NpyRead, NamesWhatIsWrongWithTheType) {
  NpyFile file;
  file.descr = "'<f8'";
  EXPECT_EQ(message(file.bytes()), "x.npy: dtype: expected float16 ('<f2') or float32 ('<f4'), found '<f8'");
  EXPECT_EQ(test::error_of([&] { (void)parse(file.bytes()); }).hint,
            "save it as half: numpy.save(file, x.astype(numpy.float16))");
  file.descr = "'>f2'";
  EXPECT_EQ(message(file.bytes()), "x.npy: dtype: expected float16 ('<f2') or float32 ('<f4'), found '>f2'");
  EXPECT_EQ(test::error_of([&] { (void)parse(file.bytes()); }).hint,
            "save it little-endian: numpy.save(file, x.astype('<f2'))");
  file.descr = "[('x', '<f2')]";
  EXPECT_EQ(message(file.bytes()), "x.npy: dtype: expected float16 or float32, found a structured type");
  file.descr = "'\x01\x02'";
  EXPECT_EQ(message(file.bytes()), "x.npy: dtype: expected float16 ('<f2') or float32 ('<f4'), found 'unprintable'");
}

TEST(NpyRead, NamesWhatIsWrongWithTheShape) {
  NpyFile file;
  file.shape = "(6,)";
  EXPECT_EQ(message(file.bytes()), "x.npy: shape: expected two dimensions, found 1: (6,)");
  file.shape = "(1, 2, 3)";
  EXPECT_EQ(message(file.bytes()), "x.npy: shape: expected two dimensions, found 3: (1, 2, 3)");
  file.shape = "()";
  EXPECT_EQ(message(file.bytes()), "x.npy: shape: expected two dimensions, found 0: ()");
  file.shape = "(4294967296, 4294967296)";
  EXPECT_EQ(message(file.bytes()),
            "x.npy: shape: expected a matrix of fewer than 2^63 bytes, found (4294967296, 4294967296)");
  file.shape = "(4611686018427387904, 1)";
  EXPECT_EQ(message(file.bytes()),
            "x.npy: shape: expected a matrix of fewer than 2^63 bytes, found (4611686018427387904, 1)");
  file.shape = "(-2, 3)";
  EXPECT_EQ(message(file.bytes()),
            "x.npy: header: expected a dimension from 0 to 2^63 - 1 at character 51, found '-2, 3), }\\x0a'");
  file.shape = "(9223372036854775808, 1)";
  EXPECT_EQ(message(file.bytes()),
            "x.npy: header: expected a dimension from 0 to 2^63 - 1 at character 51, found "
            "'9223372036854775808, 1),...'");
}

TEST(NpyRead, NamesWhatIsWrongWithTheSize) {
  NpyFile file;
  file.data.pop_back();
  EXPECT_EQ(message(file.bytes()), "x.npy: expected 12 bytes of data for shape (2, 3), found 11");
  EXPECT_EQ(test::error_of([&] { (void)parse(file.bytes()); }).hint, "the file is cut short");
  file.data += "xy";
  EXPECT_EQ(message(file.bytes()), "x.npy: expected 12 bytes of data for shape (2, 3), found 13");
  EXPECT_EQ(test::error_of([&] { (void)parse(file.bytes()); }).hint, "the file goes on after its data");
}

TEST(NpyRead, NamesWhatIsWrongWithTheHead) {
  EXPECT_EQ(message(""), "x.npy: expected a .npy file (\\x93NUMPY), found an empty file");
  EXPECT_EQ(message("PK\x03\x04zip"), "x.npy: expected a .npy file (\\x93NUMPY), found 'PK\\x03\\x04zi'");
  EXPECT_EQ(message("\x93NUMPY\x01"), "x.npy: expected a header, found the file's end after 7 bytes");
  NpyFile file;
  file.major = 4;
  EXPECT_EQ(message(file.bytes()), "x.npy: expected .npy version 1.0, 2.0 or 3.0, found 4.0");
  file.major = 1;
  file.minor = 1;
  EXPECT_EQ(message(file.bytes()), "x.npy: expected .npy version 1.0, 2.0 or 3.0, found 1.1");
  EXPECT_EQ(message(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)),
            "x.npy: header: expected at most 65524 bytes, found 4294967295");
  EXPECT_EQ(message(std::string("\x93NUMPY\x01\x00\x0a\x00{'de", 14)),
            "x.npy: header: expected 10 bytes, found the file's end after 4");
}

TEST(NpyRead, NamesWhatIsWrongWithTheDictionary) {
  const NpyFile file;
  const auto of = [&](const std::string& header) { return message(file.with_header(header)); };
  EXPECT_EQ(of("{'descr': '<f2', 'shape': (2, 3)}"), "x.npy: header: expected the key fortran_order, found none");
  EXPECT_EQ(of("{'descr': '<f2', 'descr': '<f2'}"), "x.npy: header: expected 'descr' once, found it twice");
  EXPECT_EQ(of("{'order': 1}"), "x.npy: header: expected the keys descr, fortran_order and shape, found 'order'");
  EXPECT_EQ(of("{'fortran_order': Maybe}"), "x.npy: header: expected True or False at character 18, found 'Maybe}'");
  EXPECT_EQ(of("{'descr': __import__('os')}"),
            "x.npy: header: expected a quoted string at character 10, found '__import__('os')}'");
  EXPECT_EQ(of("{'descr': '<f2"), "x.npy: header: expected a quoted string at character 10, found ''<f2'");
  EXPECT_EQ(of("{}{"), "x.npy: header: expected the end of the header at character 2, found '{'");
  EXPECT_EQ(of(""), "x.npy: header: expected '{' at character 0, found its end");
}

TEST(NpyRead, RefusesWhatIsNoRegularFile) {
  const test::Directory directory;
  EXPECT_ERROR(read_matrix(directory.file("none.npy")),
               directory.file("none.npy") + ": cannot read: No such file or directory", 4);
  EXPECT_ERROR(read_matrix(directory.path()),
               directory.path().string() + ": cannot read: expected a regular file, found a directory", 4);
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_matrix(directory.file("pipe")),
               directory.file("pipe") + ": cannot read: expected a regular file, found a pipe, socket or device", 4);
}

TEST(NpyRead, TakesNoMemoryForAHeaderThatLies) {
  const test::Directory directory;
  NpyFile file;
  file.shape = "(2000000000, 2000000000)";  // 8 EB
  test::write_file(directory.file("lie.npy"), file.bytes());
  EXPECT_ERROR(read_matrix(directory.file("lie.npy")),
               directory.file("lie.npy") +
                   ": expected 8000000000000000000 bytes of data for shape (2000000000, "
                   "2000000000), found 12",
               2);
}

TEST(NpyRead, ReadsFilesLargerThanTheirFirstBlock) {
  const test::Directory directory;
  Bits values(300 * 301);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(i);
  }
  NpyFile file;
  file.shape = "(300, 301)";
  file.data = test::raw(values);
  test::write_file(directory.file("big.npy"), file.bytes());
  EXPECT_EQ(read_matrix(directory.file("big.npy")).matrix.values, values);
}

}  // namespace
}  // namespace tileloom::npy
