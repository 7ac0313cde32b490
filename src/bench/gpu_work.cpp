// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_work.hpp"

namespace tileloom::bench {

using cuda::driver;
using cuda::require;

Stream::Stream() {
  require(driver().create_stream(&stream_, cuda::CU_STREAM_NON_BLOCKING), "creating a stream");
}

Stream::~Stream() {
  driver().destroy_stream(stream_);
}

void Stream::synchronize() const {
  require(driver().synchronize(stream_), "running the kernels");
}

Event::Event() {
  require(driver().create_event(&event_, 0), "creating an event");
}

Event::~Event() {
  driver().destroy_event(event_);
}

void Event::record(const Stream& stream) const {
  require(driver().record_event(event_, stream.get()), "recording an event");
}

void Event::wait() const {
  require(driver().wait_for_event(event_), "running the kernels");
}

bool Event::happened() const {
  const cuda::CUresult result = driver().query_event(event_);
  if (result != cuda::CUDA_ERROR_NOT_READY) {
    require(result, "running the kernels");
  }
  return result == cuda::CUDA_SUCCESS;
}

double Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0;
  require(driver().event_milliseconds(&milliseconds, earlier.event_, event_), "reading an event");
  return static_cast<double>(milliseconds) * 1e-3;
}

Graph::Graph(const Stream& stream, const Enqueue& enqueue, int count) {
  require(driver().begin_capture(stream.get(), cuda::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "beginning a graph");
  try {
    for (int i = 0; i < count; ++i) {
      enqueue(stream.get(), i);
    }
  } catch (...) {  // the stream must not stay in capture
    driver().end_capture(stream.get(), &graph_);
    driver().destroy_graph(graph_);
    throw;
  }
  require(driver().end_capture(stream.get(), &graph_), "ending a graph");
  if (const cuda::CUresult result = driver().instantiate(&executable_, graph_, 0); result != cuda::CUDA_SUCCESS) {
    driver().destroy_graph(graph_);
    require(result, "instantiating a graph");
  }
}

Graph::~Graph() {
  driver().destroy_executable(executable_);
  driver().destroy_graph(graph_);
}

void Graph::launch(const Stream& stream) const {
  require(driver().launch_graph(executable_, stream.get()), "launching a graph");
}

}  // namespace tileloom::bench
