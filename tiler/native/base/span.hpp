// A column or bytes that somebody else owns: where they begin, and how many there are.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tilescope {

// `Span<const T>` reads, `Span<T>` writes. It owns nothing: what it shows must stay where it is.
template <typename T>
class Span {
    template <typename Values>
    using IfShown = std::enable_if_t<std::is_same_v<typename Values::value_type, std::remove_const_t<T>> &&
                                     std::is_convertible_v<decltype(std::declval<Values&>().data()), T*>>;

  public:
    using value_type = std::remove_const_t<T>;

    constexpr Span() = default;
    constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}

    // All of a vector, an array, a column, a text, or another span.
    template <typename Values, typename = IfShown<Values>>
    constexpr Span(Values& values) : data_(values.data()), size_(values.size()) {}
    template <typename Values, typename = IfShown<const Values>>
    constexpr Span(const Values& values) : data_(values.data()), size_(values.size()) {}

    constexpr T* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() const { return data_; }
    constexpr T* end() const { return data_ + size_; }

    // Checked in the build of `make sanitize` alone: loops over columns are as fast as over pointers.
    constexpr T& operator[](std::size_t k) const {
#ifdef TILESCOPE_CHECKED
        if (k >= size_) std::abort();
#endif
        return data_[k];
    }
    constexpr T& front() const { return (*this)[0]; }
    constexpr T& back() const { return (*this)[size_ - 1]; }

    // Throws std::out_of_range for values that are not there.
    constexpr Span subspan(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first) throw std::out_of_range("part of a span that is not there");
        return {data_ + first, count};
    }
    constexpr Span subspan(std::size_t first) const { return subspan(first, first > size_ ? 0 : size_ - first); }
    constexpr Span first(std::size_t count) const { return subspan(0, count); }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// Number of rows of columns that stand side by side. Throws std::invalid_argument when they differ.
template <typename Column, typename... Columns>
constexpr std::size_t same_size(const Column& column, const Columns&... columns) {
    const std::size_t size = column.size();
    if (((columns.size() != size) || ...)) throw std::invalid_argument("columns differ in length");
    return size;
}

}  // namespace tilescope
