#include "pages/launch_chunk.hpp"

namespace tilescope {

ContainerWriter launch_chunk(std::uint32_t track, const LaunchColumns& columns) {
    constexpr std::uint8_t ordinal = 105, partner_track = 106, partner_step = 107, way = 108, incoming = 109,
                           before_partners = 110;
    const std::size_t rows = same_size(columns.ordinal, columns.partner_track, columns.partner_step, columns.way,
                                       columns.incoming);
    ContainerWriter chunk("TSLN", 0, static_cast<std::uint32_t>(rows), track);
    chunk.smaller(ordinal, columns.ordinal);
    chunk.smaller(partner_track, columns.partner_track);
    chunk.smaller(way, columns.way);
    chunk.smaller(incoming, columns.incoming);
    chunk.smaller(partner_step, columns.partner_step);
    chunk.smaller(before_partners, columns.before_partners);
    return chunk;
}

}  // namespace tilescope
