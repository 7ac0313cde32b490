// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tileloom/npy.hpp"
#include "unit/gemm/error_of.hpp"
#include "unit/gemm/npy_bytes.hpp"

namespace tileloom::npy {
namespace {

using Bits = std::vector<std::uint16_t>;
const Matrix sample{2, 3, {1, 2, 3, 4, 5, 6}};

TEST(NpyWrite, WritesWhatNumpyWrites) {
  const test::Directory directory;
  write_matrix(directory.file("x.npy"), sample);
  const std::string bytes = test::read_file(directory.file("x.npy"));
  const std::string head =
      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }";
  ASSERT_EQ(bytes.size(), 128U + 12U);
  EXPECT_EQ(bytes.substr(0, head.size()), head);
  EXPECT_EQ(bytes.substr(head.size(), 127 - head.size()), std::string(127 - head.size(), ' '));
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.substr(128), test::raw(sample.values));
}

TEST(NpyWrite, ReadsBackAtEveryHeaderLength) {
  const test::Directory directory;
  for (std::int64_t cols = 1; cols <= 1000000; cols *= 10) {
    const Matrix matrix{1, cols, Bits(static_cast<std::size_t>(cols), 7)};
    write_matrix(directory.file("x.npy"), matrix);
    const Matrix back = read_matrix(directory.file("x.npy")).matrix;
    EXPECT_EQ(back.cols, cols);
    EXPECT_EQ(back.values, matrix.values);
    EXPECT_EQ((test::read_file(directory.file("x.npy")).size() - 2 * static_cast<std::size_t>(cols)) % 64, 0U);
  }
  write_matrix(directory.file("x.npy"), Matrix{0, 5, {}});
  EXPECT_EQ(read_matrix(directory.file("x.npy")).matrix.cols, 5);
}

TEST(NpyWrite, LeavesTheOldFileUntilTheNewOneIsComplete) {
  const test::Directory directory;
  test::write_file(directory.file("x.npy"), "old");
  {
    Writer writer(directory.file("x.npy"));
    EXPECT_EQ(test::read_file(directory.file("x.npy")), "old");
    EXPECT_EQ(directory.listing().size(), 2U);
  }
  EXPECT_EQ(test::read_file(directory.file("x.npy")), "old");
  EXPECT_EQ(directory.listing().size(), 1U);
  Writer writer(directory.file("x.npy"));
  writer.write(2, 3, sample.values);
  EXPECT_EQ(read_matrix(directory.file("x.npy")).matrix.values, sample.values);
  EXPECT_EQ(directory.listing().size(), 1U);
}

TEST(NpyWrite, NamesAPathThatCannotBeWritten) {
  const test::Directory directory;
  EXPECT_ERROR(Writer(directory.file("no/x.npy")),
               directory.file("no/x.npy") + ": cannot write: No such file or directory", 4);
  EXPECT_ERROR(Writer(directory.path().string()), directory.path().string() + ": cannot write: Is a directory", 4);
  EXPECT_ERROR(Writer(""), ": cannot write: No such file or directory", 4);
  EXPECT_TRUE(directory.listing().empty());
}

TEST(NpyWrite, WritesADeviceInPlaceAndReportsThatItIsFull) {
  EXPECT_ERROR(write_matrix("/dev/full", sample), "/dev/full: cannot write: No space left on device", 4);
  EXPECT_NO_THROW(write_matrix("/dev/null", sample));
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST(NpyWrite, LeavesNothingWhenTheDiskIsFull) {
  const test::Directory directory;
  test::write_file(directory.file("x.npy"), "old");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto caught = test::error_of([&] { write_matrix(directory.file("x.npy"), Matrix{100, 100, Bits(10000, 1)}); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(caught.message, directory.file("x.npy") + ": cannot write: File too large");
  EXPECT_EQ(caught.exit_code, 4);
  EXPECT_EQ(test::read_file(directory.file("x.npy")), "old");
  EXPECT_EQ(directory.listing().size(), 1U);
}

TEST(NpyWrite, KeepsPermissionsAndFollowsLinks) {
  const test::Directory directory;
  test::write_file(directory.file("real.npy"), "old");
  ASSERT_EQ(::chmod(directory.file("real.npy").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("real.npy", directory.file("link.npy").c_str()), 0);
  write_matrix(directory.file("link.npy"), sample);
  struct stat status {};
  ASSERT_EQ(::lstat(directory.file("link.npy").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  ASSERT_EQ(::stat(directory.file("real.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  EXPECT_EQ(read_matrix(directory.file("real.npy")).matrix.values, sample.values);
}

TEST(NpyWrite, NewFilesHaveThePermissionsOfTheUmask) {
  const test::Directory directory;
  const mode_t before = ::umask(027);
  write_matrix(directory.file("x.npy"), sample);
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(directory.file("x.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
}

TEST(NpyWrite, RemoveUnfinishedRemovesExactlyTheUnfinished) {
  const test::Directory directory;
  Writer finished(directory.file("a.npy"));
  Writer unfinished(directory.file("b.npy"));
  finished.write(2, 3, sample.values);
  EXPECT_EQ(directory.listing().size(), 2U);
  remove_unfinished();
  EXPECT_EQ(directory.listing(), (std::vector<std::string>{"a.npy"}));
}

TEST(NpyWrite, ManyWritersAtOnceThenOneTooMany) {
  const test::Directory directory;
  std::vector<Writer> writers;
  const auto caught = test::error_of([&] {
    for (int i = 0; i < 100; ++i) {
      writers.emplace_back(directory.file(std::to_string(i)));
    }
  });
  EXPECT_EQ(caught.message,
            directory.file("32") + ": cannot write: the path is too long, or 32 files are being written");
  writers.clear();
  EXPECT_TRUE(directory.listing().empty());
  write_matrix(directory.file("x.npy"), sample);
}

}  // namespace
}  // namespace tileloom::npy
