// The shape of a text, all of it but its numbers; and those numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/span.hpp"

namespace tilescope {

constexpr char kNumberMark = '\0';  // in a shape, for a number

constexpr std::size_t kMostDigits = 18;  // of one number: the value fits whatever they are

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Made piece by piece. A text may lie in a file that somebody writes meanwhile: then the shape is one of neither text, and
// still no longer than it.
class TextShape {
  public:
    static constexpr std::size_t kLongestText = 2048;  // a longer one has no shape: it hardly repeats

    // Begins a text of that size. False where it is too long to have a shape.
    bool begin(std::size_t size);

    // Adds what comes next. False where that has a mark in it already: then the text has no shape.
    bool add(std::string_view text);

    // A character that is no digit.
    void add_mark(char c) { shape_[shape_size_++] = c; }

    std::string_view text() const { return {shape_.data(), shape_size_}; }
    Span<const std::uint64_t> values() const {
        return {values_.data(), values_size_};
    }  // of its numbers, in their order

  private:
    static constexpr std::size_t step = 16;  // bytes that are written at a time

    const char* add_number(const char* p, const char* end);

    std::array<char, kLongestText + step> shape_{};
    std::size_t shape_size_ = 0;
    std::array<std::uint64_t, kLongestText> values_{};
    std::size_t values_size_ = 0;
};

}  // namespace tilescope
