// Sums of operations in many windows by the code of their kinds: what the time of steps is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Operations that follow each other, from event `first` on; those at the places `numbered`, which ascend, have numbers.
struct PlacedOperations {
    std::int64_t first = 0;
    Span<const std::int64_t> kind, parent, duration;  // -1: no parent
    Span<const std::int64_t> numbered, numbers;
};

// Windows by the ordinals of the events that start in them, [first, last) of each, ascending.
struct OrdinalWindows {
    Span<const std::int64_t> first, last;
};

class StepPartSums {
  public:
    // `code_of_kind`: all below `codes`. Of operations of the code `listed` that have a number each is listed.
    StepPartSums(std::vector<std::uint8_t> code_of_kind, std::size_t codes, std::size_t windows, std::uint8_t listed);

    // Adds operations that start in windows, but for those of some ordinals, which ascend. Each takes its duration from the
    // code of the one that it lies in. Throws std::invalid_argument for kinds that there are not and columns of different
    // lengths, std::overflow_error when durations do not fit into 62 bits together.
    void add(const PlacedOperations& operations, const OrdinalWindows& windows, Span<const std::int64_t> left_out);

    // The time that all operations of the records take.
    std::uint64_t taken() const { return taken_; }

    // By window, then by code.
    const std::vector<std::int64_t>& sums() const { return sums_; }

    // Columns of the operations with a number: the window, the number, and how long each takes.
    std::vector<std::int64_t> listed_window, listed_number, listed_duration;

  private:
    void add_range(const PlacedOperations& operations, std::size_t begin, std::size_t end, std::size_t window);

    std::vector<std::uint8_t> code_of_kind_;
    std::size_t codes_, windows_;
    std::uint8_t listed_;
    std::uint64_t taken_ = 0;
    std::vector<std::int64_t> sums_;
};

}  // namespace tilescope
