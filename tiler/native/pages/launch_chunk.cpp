#include "pages/launch_chunk.hpp"

namespace tilescope {

ContainerWriter launch_chunk(std::uint32_t track, const LaunchColumns& columns) {
    constexpr std::uint8_t ordinal = 105, launching_track = 106, code = 107, way = 108, before_launch = 110;
    constexpr std::int64_t by_correlation = 1;
    const std::size_t rows = same_size(columns.ordinal, columns.code);
    ContainerWriter chunk("TSLN", 0, static_cast<std::uint32_t>(rows), track);
    if (rows == 0) return chunk;
    chunk.planned(ordinal, plan_rises(columns.ordinal[0], columns.most_rise), columns.ordinal);
    const auto range = range_of(columns.code);
    chunk.planned(code, plan_between(range.least, range.most), columns.code);
    chunk.planned(way, plan_between(by_correlation, by_correlation), columns.ordinal);
    chunk.smaller(launching_track, columns.tracks);
    chunk.smaller(before_launch, columns.before);
    return chunk;
}

}  // namespace tilescope
