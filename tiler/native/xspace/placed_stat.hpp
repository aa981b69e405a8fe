// Stats that are integers as encoders write them, so that they can be taken out of arguments and put back: the shortest
// varints, the id first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "xspace/wire.hpp"

namespace tilescope::xspace {

constexpr std::uint8_t kStatsTag = wire::bytes_field(4);  // of an XEvent
constexpr std::uint8_t kUnsignedTag = wire::varint_field(3), kIntegerTag = wire::varint_field(4);

// The bytes of such a stat.
class StatBytes {
  public:
    static constexpr std::size_t kMost = 2 + 1 + 10 + 1 + 10;
    static constexpr std::size_t kLeast = 2 + 1 + 1 + 1 + 1;

    // `tag`: of its value.
    StatBytes(std::int64_t id, std::uint8_t tag, std::uint64_t value) {
        bytes_[0] = kStatsTag;
        size_ = 2;
        push(wire::varint_field(1));
        varint(static_cast<std::uint64_t>(id));
        push(tag);
        varint(value);
        bytes_[1] = static_cast<std::uint8_t>(size_ - 2);
    }

    const std::uint8_t* data() const { return bytes_.data(); }
    std::size_t size() const { return size_; }

    // True if the source has it there.
    bool is_at(const wire::Source& source, std::size_t place) const {
        return place <= source.size() && size_ <= source.size() - place &&
               std::memcmp(source.data() + place, bytes_.data(), size_) == 0;
    }

  private:
    void push(std::uint32_t byte) { bytes_[size_++] = static_cast<std::uint8_t>(byte); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) push(static_cast<std::uint32_t>(value & 0x7f) | 0x80);
        push(static_cast<std::uint32_t>(value));
    }

    std::array<std::uint8_t, kMost> bytes_{};
    std::size_t size_ = 0;
};

// A stat and its place in the arguments of an event.
struct PlacedStat {
    static constexpr std::size_t kPlaces = 0xffff;  // further behind none is looked for

    std::uint64_t value = 0;
    std::uint16_t place = 0;
    std::uint8_t size = 0;  // 0: there is none
    std::uint8_t tag = 0;  // of its value
};

// The stats that say how long an operation took and when it began.
struct PlacedTimes {
    PlacedStat duration, begin;
};

// Their ids, -1 none.
struct TimeIds {
    std::int64_t duration = -1, begin = -1;
};

// The first ones in the arguments of an event, which are the whole source. Throws wire::Error.
PlacedTimes find_times(const wire::Source& args, const TimeIds& ids);

}  // namespace tilescope::xspace
