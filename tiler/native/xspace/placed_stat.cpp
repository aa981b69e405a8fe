#include "xspace/placed_stat.hpp"

namespace tilescope::xspace {

using wire::Cursor;

PlacedTimes find_times(const wire::Source& args, const TimeIds& ids) {
    PlacedTimes times;
    Cursor cursor(args, {0, args.size()}, "event");
    if (cursor.at_end()) return times;
    cursor.varint();
    while (!cursor.at_end()) {
        const std::size_t place = cursor.offset();
        const std::uint32_t tag = cursor.tag();
        if (tag != kStatsTag) {
            cursor.skip(tag);
            continue;
        }
        Cursor stat = cursor.message("stat");
        if (stat.at_end() || stat.tag() != wire::varint_field(1)) continue;
        const std::int64_t id = stat.signed_varint();
        PlacedStat& placed = id == ids.duration ? times.duration : times.begin;
        if (id < 0 || (id != ids.duration && id != ids.begin) || placed.size != 0 || stat.at_end()) continue;
        const std::uint32_t of_value = stat.tag();
        if (of_value != kUnsignedTag && of_value != kIntegerTag) continue;
        const auto value_tag = static_cast<std::uint8_t>(of_value);
        const std::uint64_t value = stat.varint();
        const StatBytes bytes(id, value_tag, value);
        if (place < PlacedStat::kPlaces && bytes.size() == cursor.offset() - place && bytes.is_at(args, place))
            placed = {value, static_cast<std::uint16_t>(place), static_cast<std::uint8_t>(bytes.size()), value_tag};
    }
    return times;
}

}  // namespace tilescope::xspace
