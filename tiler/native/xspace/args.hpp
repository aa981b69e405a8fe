// Arguments of XSpace events, as columns hold them: a varint, the number of the event's metadata, then its `stats` fields.
#pragma once

#include "xspace/wire.hpp"

#include <cstdint>
#include <vector>

namespace tilescope::xspace {

// The integer that the stat of one of these ids has in the arguments, which are the whole source; `absent` where there is
// none. The last one counts. Throws wire::Error.
std::int64_t integer_stat(const wire::Source& args, const std::vector<std::int64_t>& ids, std::int64_t absent);

// What a stat holds.
enum class StatKind : std::uint8_t {
    none = 0,
    integer = 1,
    unsigned_integer = 2,
    real = 3,
    reference = 4,
    text = 5,
    other = 6
};

// The value of a stat: `bits` of a number, or the id that it refers to; `text` lies in the source.
struct StatValue {
    StatKind kind = StatKind::none;
    std::int64_t bits = 0;
    wire::Range text;
    std::uint64_t metadata = 0;  // of the event; with no arguments UINT64_MAX
};

// Of the stats of one of these ids in the arguments of an event, which are the whole source, the last. Throws wire::Error.
StatValue stat_value(const wire::Source& args, const std::vector<std::int64_t>& ids);

}  // namespace tilescope::xspace
