// The arguments of a device's operation as nearly all are: its metadata, when it began, and how long it took.
#pragma once

#include <cstddef>
#include <cstdint>

#include "xspace/placed_stat.hpp"
#include "xspace/wire.hpp"

namespace tilescope::xspace {

// Heads of the stats of both times, but for their sizes, as those that were read before were written.
struct TimeHeads {
    static constexpr std::uint64_t kMask =
        0xff'ff'ff'00'ffU;  // the field, the field of the id, the id, that of the value
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};  // no stat begins like that
    static constexpr std::size_t kBeforeValue = 5;

    std::uint64_t begin = kNone, duration = kNone;
};

// The integer of a stat whose head is known.
struct QuickTime {
    std::uint64_t value = 0;
    std::size_t size = 0;  // of the stat
    std::uint8_t tag = 0;  // of the value

    // Reads one at `p`, where 16 bytes can be read, that begins with `head`; false where none ends at `end` or before.
    bool read(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t head) {
        size = 2 + (head >> 8 & 0xff);
        if (size > static_cast<std::size_t>(end - p)) return false;
        tag = static_cast<std::uint8_t>(head >> 32);
        const std::size_t value_size = size - TimeHeads::kBeforeValue;
        const std::uint64_t bytes = wire::eight_bytes(p + TimeHeads::kBeforeValue);
        if (!wire::begins_with_varint(bytes, value_size)) return false;
        const std::uint64_t highest = wire::highest_bits[value_size];
        value = wire::packed(bytes & (highest - (highest >> 7)));
        return true;
    }

    // True if its varint is the shortest, when it ends at `stop`.
    bool is_shortest(const std::uint8_t* stop) const { return stop[-1] != 0 || size == StatBytes::kLeast; }
};

struct UsualOperation {
    // So many bytes behind arguments are looked at before it is known that they end.
    static constexpr std::ptrdiff_t kMargin = 16;

    std::int64_t metadata = 0;
    std::size_t metadata_size = 0;  // where the first stat begins; 0: arguments are to be read with more care
    QuickTime begin, duration;

    // Reads arguments that begin with both stats, written as those before were and as encoders write them; false of all
    // others, of which the metadata is there. `all_end`: where the bytes end among which they lie.
    bool read(const wire::Source& args, const std::uint8_t* all_end, const TimeHeads& heads) {
        const std::uint8_t* const end = args.end();
        if (all_end - end < kMargin) return false;
        std::uint64_t number = 0;
        const std::uint8_t* const first = wire::readable_varint(args.begin(), number);
        if (first == nullptr || first >= end) return false;
        metadata = static_cast<std::int64_t>(number);
        metadata_size = static_cast<std::size_t>(first - args.begin());
        const std::uint64_t first_head = wire::eight_bytes(first);
        if ((first_head & TimeHeads::kMask) != heads.begin || !begin.read(first, end, first_head)) return false;
        const std::uint8_t* const second = first + begin.size;
        const std::uint64_t second_head = wire::eight_bytes(second);
        if ((second_head & TimeHeads::kMask) != heads.duration || !duration.read(second, end, second_head))
            return false;
        return begin.is_shortest(second) && duration.is_shortest(second + duration.size);
    }

    // Size of both with the metadata, in bytes.
    std::size_t size() const { return metadata_size + begin.size + duration.size; }

    PlacedTimes times() const {
        const std::size_t second = metadata_size + begin.size;
        return {placed(duration, second), placed(begin, metadata_size)};
    }

  private:
    static PlacedStat placed(const QuickTime& time, std::size_t place) {
        return {time.value, static_cast<std::uint16_t>(place), static_cast<std::uint8_t>(time.size), time.tag};
    }
};

}  // namespace tilescope::xspace
