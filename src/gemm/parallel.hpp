// SPDX-License-Identifier: Apache-2.0
// A loop over independent tasks on several host threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tileloom::gemm {

// 0: all of this machine's.
[[nodiscard]] inline unsigned threads_of(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

// Calls task(0) ... task(count - 1), each once, in any order, on threads_of(threads). The first exception ends
// the loop and is thrown here.
template <class Task>
void parallel_for(std::int64_t count, unsigned threads, const Task& task) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::int64_t i = next++; i < count; i = next++) {
        task(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = failure ? failure : std::current_exception();
      next = count;
    }
  };
  const unsigned wanted = threads_of(threads);
  std::vector<std::jthread> helpers;
  try {
    for (unsigned i = 1; i < wanted && i < count; ++i) {
      helpers.emplace_back(work);
    }
  } catch (const std::system_error&) {  // the system has no more threads to give: those that there are do it
  }
  work();
  helpers.clear();  // joins
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace tileloom::gemm
