// Begin/end pairing of one track. The rules stand in tiler/columns/pairing.py; its tests hold a plain-Python reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "columns/counted.hpp"

namespace tilescope {

// Columns of `size` rows, in file order. `key` may be null: then all rows share one stack.
struct PairingInput {
    std::size_t size;
    const std::int64_t* time;
    const std::int64_t* duration;
    const std::uint8_t* phase;
    const std::int32_t* name;
    const std::int64_t* key;
    std::int64_t trace_end;
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

// What is open at once is taken from `budget`: ShortOfBudget.
PairedColumns pair_slices(const PairingInput& input, MemoryBudget* budget = nullptr);

}  // namespace tilescope
