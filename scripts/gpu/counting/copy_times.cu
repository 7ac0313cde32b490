// SPDX-License-Identifier: Apache-2.0
// How long a copy takes where nothing but memory limits it: 2048 threads on every SM, each warp its own data, which
// stay in L1 or L2. Four copies at a time, of one place (`apart` 0: what is in flight may serve all) or of four.
//   copy_times PATTERNS.bin NAME:INDEX...     JSON, one object a line: form, pattern, apart, SM cycles of an
//   instruction
#include <algorithm>
#include <map>
#include <string>

#include "copies.cuh"

struct Span {
  long long start, end;
  int sm;
};

constexpr int kThreads = 1024, kUnrolled = 4, kRounds = 500, kWarpBytes = 1024, kTimes = 7;

// Plain instructions beside the copies, to see what a wavefront takes.
enum class Plain { load, store, load_store };

struct Places {
  std::uint32_t to;
  const char* from;
};

__device__ Places places(const char* from, const Pattern& p, char* shared) {
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  int sm = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return {static_cast<std::uint32_t>(__cvta_generic_to_shared(shared)) + warp * kWarpBytes + p.to[lane],
          from + (sm * (kThreads / 32) + warp) * kWarpBytes + p.from[lane]};
}

template <class F>
__device__ void timed(Span* spans, const F& f) {
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnrolled; ++i) f(i);
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int sm = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    spans[blockIdx.x] = {start, clock64(), sm};
  }
}

template <int kBytes, bool kCg, bool kSized>
__global__ void __launch_bounds__(kThreads, 2)
    copies(const char* from, const Pattern* p, Span* spans, std::size_t apart) {
  extern __shared__ __align__(1024) char shared[];
  const Places at = places(from, *p, shared);
  const int size = p->size[threadIdx.x % 32];
  timed(spans, [&](int i) { copy<kBytes, kCg, kSized>(at.to, at.from + i * apart, size); });
}

template <Plain kPlain>
__global__ void __launch_bounds__(kThreads, 2)
    plain(const char* from, const Pattern* p, Span* spans, std::size_t apart) {
  extern __shared__ __align__(1024) char shared[];
  const Places at = places(from, *p, shared);
  timed(spans, [&](int i) {
    int v[4] = {};
    if (kPlain == Plain::load) {
      asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                   : "r"(at.to)
                   : "memory");
      return;
    }
    if (kPlain == Plain::load_store) {
      asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                   : "l"(at.from + i * apart)
                   : "memory");
    }
    asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at.to), "r"(v[0]), "r"(v[1]), "r"(v[2]),
                 "r"(v[3])
                 : "memory");
  });
}

// Cycles from the first start to the last end on an SM for each warp's instruction there: the median SM's.
double cycles(const std::vector<Span>& spans) {
  struct OfSm {
    long long start = INT64_MAX, end = 0;
    int ctas = 0;
  };
  std::map<int, OfSm> sms;
  for (const Span& s : spans) {
    OfSm& sm = sms[s.sm];
    sm = {std::min(sm.start, s.start), std::max(sm.end, s.end), sm.ctas + 1};
  }
  std::vector<double> each;
  for (const auto& [number, sm] : sms) {
    each.push_back(static_cast<double>(sm.end - sm.start) / (sm.ctas * (kThreads / 32) * kRounds * kUnrolled));
  }
  std::nth_element(each.begin(), each.begin() + each.size() / 2, each.end());
  return each[each.size() / 2];
}

using Kernel = void (*)(const char*, const Pattern*, Span*, std::size_t);

double measure(Kernel kernel, const char* from, const Pattern* p, int sms, std::size_t apart) {
  constexpr int shared = kThreads / 32 * kWarpBytes;
  std::vector<Span> spans(2 * sms);
  Span* out = on_device(spans);
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    kernel<<<2 * sms, kThreads, shared>>>(from, p, out, apart);
    require(cudaMemcpy(spans.data(), out, spans.size() * sizeof(Span), cudaMemcpyDeviceToHost), "times");
    times.push_back(cycles(spans));
  }
  require(cudaFree(out), "free");
  std::sort(times.begin(), times.end());
  return times[kTimes / 2];
}

int main(int count, char** values) {
  const std::vector<Pattern> patterns = read_patterns(values[1]);
  const Pattern* given = on_device(patterns);
  int sms = 0;
  require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
  const std::size_t once = static_cast<std::size_t>(sms + 16) * kThreads / 32 * kWarpBytes;
  const char* from = on_device(std::vector<char>(kUnrolled * once, 1));
  for (int i = 2; i < count; ++i) {
    const std::string name(values[i], std::strchr(values[i], ':'));
    const Pattern* p = given + std::atoi(std::strchr(values[i], ':') + 1);
    const auto print = [&](const char* form, Kernel kernel) {
      for (const std::size_t apart : {std::size_t{0}, once}) {
        std::printf("{\"form\": \"%s\", \"pattern\": \"%s\", \"apart\": %zu, \"cycles\": %.3f}\n", form, name.c_str(),
                    apart, measure(kernel, from, p, sms, apart));
      }
    };
    for (const char* form : {"cg16", "cg16_sized", "ca16", "ca16_sized"}) {
      with_form(form, [&]<int kBytes, bool kCg, bool kSized>() { print(form, copies<kBytes, kCg, kSized>); });
    }
    print("ld.shared", plain<Plain::load>);
    print("st.shared", plain<Plain::store>);
    print("ld.global+st.shared", plain<Plain::load_store>);
  }
}
