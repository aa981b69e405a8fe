#include "pages/launch_chunk.hpp"

namespace tilescope {

ContainerWriter launch_chunk(std::uint32_t track, const LaunchColumns& columns) {
    constexpr std::uint8_t ordinal = 105, partner_track = 106, partner_step = 107, way = 108, incoming = 109,
                           before_partners = 110;
    constexpr std::int64_t by_correlation = 1;
    const std::size_t rows = same_size(columns.ordinal, columns.partner_track, columns.partner_step, columns.incoming);
    ContainerWriter chunk("TSLN", 0, static_cast<std::uint32_t>(rows), track);
    if (rows == 0) return chunk;
    chunk.planned(ordinal, plan_rises(columns.ordinal[0], columns.most_rise), columns.ordinal);
    chunk.planned(partner_track, plan_between(columns.first_track, columns.last_track), columns.partner_track);
    chunk.planned(way, plan_between(by_correlation, by_correlation), columns.ordinal);
    const std::int64_t first_side = columns.has_both_sides ? 0 : columns.incoming[0];
    chunk.planned(incoming, plan_between(first_side, columns.has_both_sides ? 1 : first_side), columns.incoming);
    chunk.planned(partner_step, plan_between(columns.least_step, columns.most_step), columns.partner_step);
    chunk.smaller(before_partners, columns.before_partners);
    return chunk;
}

}  // namespace tilescope
