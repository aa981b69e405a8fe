// To which process's begins the ends of an async identity belong that several processes use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

// Begins and ends, columns of `size` rows, those of a key in file order. A group is an identity, a key an identity in one
// process; keys are below `keys`.
struct AsyncRows {
    std::size_t size;
    const std::int64_t* group;
    const std::int64_t* time_ns;
    const std::int64_t* time_ps;
    const std::int64_t* key;
    const std::uint8_t* phase;
    std::size_t keys;
};

// Of each row the key that it belongs to. In the order of time, an end belongs to its own process when that has an open begin,
// else to the process, of those that have one, that began last; else to its own. At one time the rows of each process
// come first, in file order, and then the ends that found nothing open in theirs. Throws std::invalid_argument for a
// key that is not below `keys`.
std::vector<std::int64_t> async_homes(const AsyncRows& rows);

}  // namespace tilescope
