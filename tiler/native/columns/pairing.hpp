// Begin/end pairing of one track. The rules stand in tiler/columns/pairing.py; its tests hold a plain-Python reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/counted.hpp"
#include "base/span.hpp"

namespace tilescope {

// Rows in file order. Without keys all of them share one stack.
struct PairingInput {
    Span<const std::int64_t> time;
    Span<const std::int64_t> duration;
    Span<const std::uint8_t> phase;
    Span<const std::int32_t> name;
    std::optional<Span<const std::int64_t>> key;
    std::int64_t trace_end = 0;

    bool is_of_other_key(std::size_t row, std::int64_t before) const {
        return key && (*key)[row] != (*key)[static_cast<std::size_t>(before)];
    }
};

// One entry per slice, in the order of the rows that begin them.
struct PairedColumns {
    std::vector<std::int64_t> start;
    std::vector<std::int64_t> duration;
    std::vector<std::int32_t> name;
    std::vector<std::int64_t> source;
    std::vector<std::int64_t> end_source;
    std::vector<std::uint8_t> flags;
    std::int64_t ends_without_begin = 0;
    std::int64_t begins_without_end = 0;
    std::int64_t renamed = 0;
};

// What is open at once is taken from `budget`: ShortOfBudget. Throws std::invalid_argument for columns that differ in length.
PairedColumns pair_slices(const PairingInput& input, MemoryBudget* budget = nullptr);

}  // namespace tilescope
