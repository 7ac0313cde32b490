// SPDX-License-Identifier: Apache-2.0
// Runs the micro-kernels of tests/emu/micro on a GPU and records what they give.
//   micro_kernels RECORD WHOLE    RECORD is tests/golden/h200/micro_kernels.bin; WHOLE has all results, to look into
//   micro_kernels --ptx DIRECTORY writes the kernels
// A kernel that ends with an error or does not end takes the process with it: its name goes to RECORD.failed, the exit
// code is 3, and the next run leaves it out. micro_kernels.sh runs until all are through.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <thread>

#include "emu/micro/micro_case.hpp"
#include "emu/micro/micro_record.hpp"
#include "gemm/cuda_driver.hpp"

namespace {

using namespace tileloom;
using emu::test::MicroCase;
using emu::test::MicroRecords;
using U64 = std::uint64_t;

constexpr std::size_t threads = std::size_t{emu::test::micro_threads} * emu::test::micro_ctas;
constexpr std::size_t most_results = 8;

const cuda::Driver& driver() {
  cuda::Obstacle obstacle;
  static const cuda::Driver* const found = cuda::find_driver(obstacle);
  if (found == nullptr) {
    std::printf("skipped: no GPU: %s\n", obstacle.text.c_str());
    std::exit(0);
  }
  return *found;
}

char failed_path[1024];
char running[256];

void give_up() {
  FILE* to = std::fopen(failed_path, "a");
  std::fprintf(to, "%s\n", running);
  std::fclose(to);
  std::printf("failed: %s\n", running);
  std::fflush(stdout);
  _exit(3);
}

void require(cuda::CUresult result, const char* what) {
  if (result == cuda::CUDA_SUCCESS) return;
  std::printf("%s: %s: %s\n", running, what, cuda::describe(driver(), result).c_str());
  give_up();
}

void enter_context() {
  cuda::CUdevice device = 0;
  cuda::CUcontext context = nullptr;
  require(driver().device(&device, 0), "device");
  require(driver().primary_context(&context, device), "context");
  require(driver().push_context(context), "push context");
}

// The kernels, compiled by the driver on all processors; nullptr where it refuses.
std::vector<cuda::CUkernel> compile(const std::vector<MicroCase>& cases) {
  std::vector<cuda::CUkernel> kernels(cases.size(), nullptr);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    enter_context();
    for (std::size_t i = next++; i < cases.size(); i = next++) {
      const std::string ptx = micro_ptx(cases[i]);
      cuda::CUlibrary library = nullptr;
      if (driver().load_library(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) != cuda::CUDA_SUCCESS)
        continue;
      if (driver().find_kernel(&kernels[i], library, micro_symbol(cases[i]).c_str()) != cuda::CUDA_SUCCESS)
        kernels[i] = nullptr;
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  return kernels;
}

class Runner {
 public:
  Runner() {
    require(driver().allocate(&in_, threads * emu::test::micro_inputs * 8), "allocate");
    require(driver().allocate(&out_, threads * most_results * 8), "allocate");
    require(driver().allocate(&scratch_, threads * emu::test::micro_cell), "allocate");
  }

  // Nothing where the driver compiles the kernel only now, and refuses.
  std::optional<std::vector<U64>> run(const MicroCase& c, cuda::CUkernel kernel) {
    std::snprintf(running, sizeof running, "%s", c.name.c_str());
    alarm(20);
    const std::vector<U64> values = micro_values(c);
    std::vector<U64> made(threads * c.results.size(), 0);
    const std::vector<U64> zeros(threads * emu::test::micro_cell / 8, 0);
    require(driver().copy_to_device(in_, values.data(), values.size() * 8, nullptr), "copy to the GPU");
    require(driver().copy_to_device(out_, made.data(), made.size() * 8, nullptr), "copy to the GPU");
    require(driver().copy_to_device(scratch_, zeros.data(), zeros.size() * 8, nullptr), "copy to the GPU");
    void* parameters[] = {&in_, &out_, &scratch_};
    if (driver().launch(kernel, emu::test::micro_ctas, 1, 1, emu::test::micro_threads, 1, 1, 0, nullptr, parameters,
                        nullptr) != cuda::CUDA_SUCCESS)
      return std::nullopt;
    require(driver().synchronize(nullptr), "run");
    require(driver().copy_to_host(made.data(), out_, made.size() * 8, nullptr), "copy from the GPU");
    require(driver().synchronize(nullptr), "copy from the GPU");
    alarm(0);
    return made;
  }

 private:
  cuda::CUdeviceptr in_ = 0, out_ = 0, scratch_ = 0;
};

std::set<std::string> failed_before() {
  std::ifstream in(failed_path);
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) names.insert(line);
  return names;
}

int write_ptx(const std::string& directory) {
  for (const MicroCase& c : emu::test::micro_cases()) {
    std::ofstream(directory + "/" + micro_symbol(c) + ".ptx") << micro_ptx(c);
  }
  return 0;
}

int record(const std::string& path, const std::string& whole_path) {
  std::snprintf(failed_path, sizeof failed_path, "%s.failed", path.c_str());
  std::signal(SIGALRM, [](int) { give_up(); });
  const std::set<std::string> failed = failed_before();
  const std::vector<MicroCase> cases = emu::test::micro_cases();
  enter_context();
  const std::vector<cuda::CUkernel> kernels = compile(cases);
  Runner runner;
  MicroRecords records;
  std::ofstream whole(whole_path, std::ios::binary);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const MicroCase& c = cases[i];
    if (failed.contains(c.name)) continue;
    const auto made = kernels[i] == nullptr ? std::nullopt : runner.run(c, kernels[i]);
    if (!made) {
      std::printf("refused: %s\n", c.name.c_str());
      records[c.name] = {micro_fingerprint(c), true, {}, {}};
      ++refused;
      continue;
    }
    whole << c.name << '\n' << made->size() << '\n';
    whole.write(reinterpret_cast<const char*>(made->data()), static_cast<std::streamsize>(made->size() * 8));
    records[c.name] = make_record(c, *made);
  }
  write_records(path, records);
  std::printf("%zu kernels: %zu ran, %zu refused, %zu failed\n", cases.size(), records.size() - refused, refused,
              failed.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--ptx") == 0) return write_ptx(argv[2]);
  if (argc == 3) return record(argv[1], argv[2]);
  std::printf("usage: micro_kernels RECORD WHOLE | micro_kernels --ptx DIRECTORY\n");
  return 2;
}
