// To which process's begins the ends of an async identity belong that several processes use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Begins and ends, those of a key in file order. A group is an identity, a key an identity in one process; keys are below
// `keys`.
struct AsyncRows {
    Span<const std::int64_t> group;
    Span<const std::int64_t> time_ns;
    Span<const std::int64_t> time_ps;
    Span<const std::int64_t> key;
    Span<const std::uint8_t> phase;
    std::size_t keys = 0;
};

// Returns the key that each row belongs to. In the order of time, an end belongs to its own process when that has an
// open begin, else to the process, of those that have one, that began last; else to its own. At one time the rows of
// each process come first, in file order, and then the ends that found nothing open in theirs. Throws
// std::invalid_argument for a key that is not below `keys`, and for columns that differ in length.
std::vector<std::int64_t> async_homes(const AsyncRows& rows);

}  // namespace tilescope
