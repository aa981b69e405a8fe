#include "xspace/flows.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tilescope::xspace {

using wire::Cursor;
using wire::varint_field;

FlowStats::FlowStats(const wire::Source& source, const Plane& plane) {
    for (const MetadataEntry& entry : plane.stat_metadata) {
        const auto same_id = [&](const FlowStat& stat) { return stat.id == entry.id; };
        stats_.erase(std::remove_if(stats_.begin(), stats_.end(), same_id), stats_.end());
        const std::string_view name = wire::text(source, stat_metadata_name(source, entry.value));
        if (name == "_pt") stats_.push_back({entry.id, producer_type});
        if (name == "_p") stats_.push_back({entry.id, producer_id});
        if (name == "_ct") stats_.push_back({entry.id, consumer_type});
        if (name == "_c") stats_.push_back({entry.id, consumer_id});
        if (name == "step_num") stats_.push_back({entry.id, step_number});
    }
    for (const FlowStat& stat : stats_) bits_ |= bit_of(stat.id);
}

void FlowStats::read_fields(const wire::Source& source, wire::Range stat, FlowValues& values) const {
    Cursor cursor(source, stat, "stat");
    std::int64_t id = 0;
    std::optional<std::uint64_t> value;
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        switch (tag) {
        case varint_field(1): id = cursor.signed_varint(); break;
        case varint_field(3):
        case varint_field(4): value = cursor.varint(); break;
        default: cursor.skip(tag);
        }
    }
    if (!value) return;
    for (const FlowStat& flow : stats_)
        if (flow.id == id) {
            values.value[flow.part] = *value;
            values.present |= 1u << flow.part;
        }
}

}  // namespace tilescope::xspace
