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
  // Both events have happened.
  [[nodiscard]] double seconds_since(const Event& earlier) const;

 private:
  cuda::CUevent event_ = nullptr;
};

// The same work again and again as one graph: launches follow each other without the host.
class Graph {
 public:
  // Captures `count` calls of enqueue(stream).
  Graph(const Stream& stream, const std::function<void(cuda::CUstream)>& enqueue, int count);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();
  void launch(const Stream& stream) const;

 private:
  cuda::CUgraph graph_ = nullptr;
  cuda::CUgraphExec executable_ = nullptr;
};

}  // namespace tileloom::bench
