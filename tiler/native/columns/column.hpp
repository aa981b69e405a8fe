// A growing column of plain values, without initialisation, whose memory can be handed over.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/span.hpp"

namespace tilescope {

template <typename T>
class Column {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    using value_type = T;

    Column() = default;
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    Column(Column&& other) noexcept { swap(other); }
    Column& operator=(Column&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Column() { std::free(data_); }

    std::size_t size() const { return size_; }
    T* data() { return data_; }
    const T* data() const { return data_; }

    std::size_t room() const { return capacity_ - size_; }

    // Makes room for `extra` more values, so that as many `push_unchecked` may follow.
    void ensure(std::size_t extra) {
        if (capacity_ - size_ < extra) grow(size_ + extra);
    }

    // The analyzer takes values for empty that `ensure` made room for.
    // NOLINTBEGIN(clang-analyzer-core.*)
    void push_unchecked(T value) { data_[size_++] = value; }

    void push(T value) {
        ensure(1);
        push_unchecked(value);
    }

    void append_unchecked(Span<const T> values) {
        if (!values.empty()) std::memcpy(data_ + size_, values.data(), values.size() * sizeof(T));
        size_ += values.size();
    }
    // NOLINTEND(clang-analyzer-core.*)

    // Appends so many values, which the caller writes.
    T* extend(std::size_t extra) {
        ensure(extra);
        size_ += extra;
        return data_ + size_ - extra;
    }

    // Without values. The memory stays.
    void clear() { size_ = 0; }

    // The memory, trimmed to the values; the caller frees it with `std::free`. Never null.
    T* release() {
        void* trimmed = std::realloc(data_, (size_ ? size_ : 1) * sizeof(T));
        T* result = trimmed ? static_cast<T*>(trimmed) : data_;
        data_ = nullptr;
        size_ = capacity_ = 0;
        if (!result) throw std::bad_alloc();
        return result;
    }

  private:
    void swap(Column& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    void grow(std::size_t needed) {
        std::size_t capacity = capacity_ * 2;
        if (capacity < needed) capacity = needed;
        // NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI): more than what there is, so never nothing
        void* moved = std::realloc(data_, capacity * sizeof(T));
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace tilescope
