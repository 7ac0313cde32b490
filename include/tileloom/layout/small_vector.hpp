// SPDX-License-Identifier: Apache-2.0
// A vector of trivially copyable elements whose first N live inside the object, so that small layouts never allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace tileloom::layout {

template <class T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() noexcept {}  // leaves the inline storage uninitialised on purpose
  SmallVector(const SmallVector& other) { append(other.data(), other.size_); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  ~SmallVector() = default;
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) {
      size_ = 0;
      append(other.data(), other.size_);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      take(other);
    }
    return *this;
  }

  [[nodiscard]] const T* data() const noexcept { return heap_ ? heap_.get() : inline_data(); }
  [[nodiscard]] T* data() noexcept { return heap_ ? heap_.get() : inline_data(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] bool is_inline() const noexcept { return !heap_; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data()[i]; }
  [[nodiscard]] const T* begin() const noexcept { return data(); }
  [[nodiscard]] const T* end() const noexcept { return data() + size_; }
  [[nodiscard]] T* begin() noexcept { return data(); }
  [[nodiscard]] T* end() noexcept { return data() + size_; }
  [[nodiscard]] const T& back() const noexcept { return data()[size_ - 1]; }
  [[nodiscard]] T& back() noexcept { return data()[size_ - 1]; }

  void clear() noexcept { size_ = 0; }
  void push_back(const T& value) {
    const T copy = value;
    if (size_ == capacity_) [[unlikely]] {
      grow(size_ + 1);
    }
    data()[size_++] = copy;
  }
  void erase(std::size_t i) noexcept {
    T* p = data();
    for (std::size_t k = i + 1; k < size_; ++k) {
      p[k - 1] = p[k];
    }
    --size_;
  }
  // `first` must not point into this vector.
  void append(const T* first, std::size_t count) {
    if (size_ + count > capacity_) [[unlikely]] {
      grow(size_ + count);
    }
    T* to = data() + size_;
    for (std::size_t i = 0; i < count; ++i) {  // few elements: cheaper than a call of memcpy
      to[i] = first[i];
    }
    size_ += static_cast<std::uint32_t>(count);
  }

 private:
  [[nodiscard]] T* inline_data() noexcept { return std::launder(reinterpret_cast<T*>(storage_)); }
  [[nodiscard]] const T* inline_data() const noexcept { return std::launder(reinterpret_cast<const T*>(storage_)); }

  [[gnu::noinline]] void grow(std::size_t count) {
    const std::size_t larger = count > 2 * capacity_ ? count : 2 * capacity_;
    std::unique_ptr<T[]> fresh(new T[larger]);
    std::memcpy(static_cast<void*>(fresh.get()), data(), size_ * sizeof(T));
    heap_ = std::move(fresh);
    capacity_ = larger;
  }

  void take(SmallVector& other) noexcept {
    heap_ = std::move(other.heap_);
    capacity_ = other.capacity_;
    size_ = other.size_;
    if (!heap_) {
      const T* from = other.inline_data();
      T* to = inline_data();
      for (std::size_t i = 0; i < size_; ++i) {
        to[i] = from[i];
      }
    }
    other.size_ = 0;
    other.capacity_ = N;
  }

  std::unique_ptr<T[]> heap_;
  std::size_t capacity_ = N;
  std::uint32_t size_ = 0;
  alignas(T) unsigned char storage_[N * sizeof(T)];
};

}  // namespace tileloom::layout
