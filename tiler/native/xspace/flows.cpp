#include "xspace/flows.hpp"

#include <optional>
#include <string_view>

namespace tilescope::xspace {

using wire::Cursor;
using wire::varint_field;

namespace {

FlowPart part_named(std::string_view name) {
    if (name == "_pt") return producer_type;
    if (name == "_p") return producer_id;
    if (name == "_ct") return consumer_type;
    if (name == "_c") return consumer_id;
    return name == "step_num" ? step_number : flow_parts;
}

}  // namespace

FlowStats::FlowStats(const wire::Source& source, const Plane& plane) : parts_(plane.stat_metadata.size()) {
    for (const MetadataEntry& entry : plane.stat_metadata) {
        const FlowPart part = part_named(wire::text(source, stat_metadata_name(source, entry.value)));
        // Of equal ids the last counts.
        if (part != flow_parts || part_of(entry.id) != flow_parts)
            parts_.set(entry.id, static_cast<std::int32_t>(part));
    }
    for (const MetadataEntry& entry : plane.stat_metadata)
        if (part_of(entry.id) != flow_parts) bits_ |= bit_of(entry.id);
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
    const FlowPart part = part_of(id);
    if (!value || part == flow_parts) return;
    values.value[part] = *value;
    values.present |= 1u << part;
}

}  // namespace tilescope::xspace
