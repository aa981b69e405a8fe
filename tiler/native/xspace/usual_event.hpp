// One XEvent message as nearly all are, read with as few steps as there can be: its id, its time, its stats, in this order.
//
// Nothing is checked but what makes it such an event. Whatever is not like that is left to `read_event`, which says what is
// wrong with it, too.
#pragma once

#include "xspace/wire.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tilescope::xspace {

struct UsualEvent {
    std::uint64_t metadata_id;
    std::uint64_t offset_ps;
    std::uint64_t duration_ps;
    const std::uint8_t* stats;  // with their tags, up to `end`
    const std::uint8_t* end;

    std::size_t stat_bytes() const { return static_cast<std::size_t>(end - stats); }
};

// So many bytes behind an event belong to the file, too: they are looked at before it is known that it ends.
constexpr std::ptrdiff_t usual_margin = 64;

// Up to where usual events can be read that begin at `begin` and end at `end` or before.
inline const std::uint8_t* usual_limit(const std::uint8_t* begin, const std::uint8_t* end,
                                       const std::uint8_t* file_end) {
    const std::ptrdiff_t missing = std::max<std::ptrdiff_t>(usual_margin - (file_end - end), 0);
    return end - std::min(end - begin, missing);
}

// Reads what stands before the stats of the event whose tag is at `p`, before `limit`, and takes what is left of it for
// stats. False: it is not like that, or not an event at all.
inline bool read_usual_head(const std::uint8_t* p, const std::uint8_t* limit, UsualEvent& event) {
    if (p[0] != wire::bytes_field(4)) return false;
    std::ptrdiff_t size = p[1];
    p += 2;
    if (size >= 0x80) {
        if (*p >= 0x80) return false;
        size = (size & 0x7f) | *p++ << 7;
    }
    if (size > limit - p) return false;
    event.end = p + size;
    // Fields are read without a look at the end, which is made up for behind them: a number that begins before it lies in
    // the margin.
    event.metadata_id = event.offset_ps = event.duration_ps = 0;
    if (*p == wire::varint_field(1)) {
        p = wire::readable_varint(p + 1, event.metadata_id);
        if (p == nullptr) return false;
    }
    if (*p == wire::varint_field(2)) {
        p = wire::readable_varint(p + 1, event.offset_ps);
        if (p == nullptr) return false;
    }
    if (*p == wire::varint_field(3)) {
        p = wire::readable_varint(p + 1, event.duration_ps);
        if (p == nullptr) return false;
    }
    event.stats = p;
    return p <= event.end;
}

// True if what is left of an event are stats, and nothing else. `on_stat` sees each of them before that is known: where
// its tag is, the eight bytes from there on, and where it ends, which may be behind the event. It returns whether the
// event may be a usual one with it.
template <typename OnStat>
inline bool has_usual_stats(const UsualEvent& event, OnStat&& on_stat) {
    const std::uint8_t* p = event.stats;
    while (p < event.end) {
        const std::uint8_t* const stat = p;
        const std::uint64_t head = wire::eight_bytes(stat);
        if ((head & 0x80ff) != wire::bytes_field(4)) return false;
        p += 2 + (head >> 8 & 0x7f);
        if (!on_stat(stat, head, p)) return false;
    }
    return p == event.end;
}

}  // namespace tilescope::xspace
