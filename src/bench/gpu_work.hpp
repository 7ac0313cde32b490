// SPDX-License-Identifier: Apache-2.0
// Streams, events and graphs of the driver as objects.
#pragma once

#include <functional>

#include "gemm/cuda_context.hpp"

namespace tileloom::bench {

class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();
  [[nodiscard]] cuda::CUstream get() const { return stream_; }
  void synchronize() const;

 private:
  cuda::CUstream stream_ = nullptr;
};

class Event {
 public:
  Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();
  void record(const Stream& stream) const;
  void wait() const;
  [[nodiscard]] bool happened() const;
  // Both events have happened.
  [[nodiscard]] double seconds_since(const Event& earlier) const;

 private:
  cuda::CUevent event_ = nullptr;
};

// Enqueues launch number `launch` of a kernel.
using Enqueue = std::function<void(cuda::CUstream stream, int launch)>;

// Launches as one graph: they follow each other without the host.
class Graph {
 public:
  // Captures launches 0 to count - 1.
  Graph(const Stream& stream, const Enqueue& enqueue, int count);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();
  void launch(const Stream& stream) const;

 private:
  cuda::CUgraph graph_ = nullptr;
  cuda::CUgraphExec executable_ = nullptr;
};

}  // namespace tileloom::bench
