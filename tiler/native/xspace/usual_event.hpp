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

// Reads what stands before the stats of the event whose tag is at `at`, before `limit`, and takes what is left of it for
// stats. False: it is not like that, or not an event at all.
inline bool read_usual_head(const std::uint8_t* at, const std::uint8_t* limit, UsualEvent& event) {
    if (at[0] != wire::bytes_field(4)) return false;
    std::ptrdiff_t size = at[1];
    at += 2;
    if (size >= 0x80) {
        if (*at >= 0x80) return false;
        size = (size & 0x7f) | *at++ << 7;
    }
    if (size > limit - at) return false;
    event.end = at + size;
    // Fields are read without a look at the end, which is made up for behind them: a number that begins before it lies in
    // the margin.
    event.metadata_id = event.offset_ps = event.duration_ps = 0;
    if (*at == wire::varint_field(1)) {
        at = wire::readable_varint(at + 1, event.metadata_id);
        if (at == nullptr) return false;
    }
    if (*at == wire::varint_field(2)) {
        at = wire::readable_varint(at + 1, event.offset_ps);
        if (at == nullptr) return false;
    }
    if (*at == wire::varint_field(3)) {
        at = wire::readable_varint(at + 1, event.duration_ps);
        if (at == nullptr) return false;
    }
    event.stats = at;
    return at <= event.end;
}

// Whether what is left of an event are stats, and nothing else. `on_stat` sees each of them before that is known: where its
// tag is, the eight bytes from there on, and where it ends, which may be behind the event. It returns whether the event may
// be a usual one with it.
template <typename OnStat>
inline bool has_usual_stats(const UsualEvent& event, OnStat&& on_stat) {
    const std::uint8_t* at = event.stats;
    while (at < event.end) {
        const std::uint8_t* const stat = at;
        const std::uint64_t head = wire::eight_bytes(stat);
        if ((head & 0x80ff) != wire::bytes_field(4)) return false;
        at += 2 + (head >> 8 & 0x7f);
        if (!on_stat(stat, head, at)) return false;
    }
    return at == event.end;
}

}  // namespace tilescope::xspace
