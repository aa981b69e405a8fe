// Texts among the arguments of XSpace events: which stats of their own they have, and how many have the same texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/intern.hpp"

namespace tilescope::xspace {

struct OwnTexts {
    std::vector<std::int64_t> ids;  // of stats that some event has itself, ascending
    Interner
        texts;  // the `stats` fields of an event that are texts or references, as they lie there, one behind the other
    std::vector<std::int64_t> counts;  // of events that have each
    bool is_whole = true;  // false: something is damaged, or there are too many different texts: they are not here
};

// Returns the texts of events [first, stop), whose arguments are args[ends[k-1], ends[k]) with ends[-1] = 0. Throws std::invalid_argument for
// ends that decrease or lie beyond the data.
OwnTexts own_texts(Span<const std::int64_t> ends, Bytes args, std::size_t first, std::size_t stop);

}  // namespace tilescope::xspace
