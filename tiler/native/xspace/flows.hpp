// The stats of an XSpace that say what an event stands for among others: pairs that name the flow which it begins or
// ends, and the number of the training step that it is.
#pragma once

#include "xspace/outline.hpp"
#include "xspace/tables.hpp"
#include "xspace/wire.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilescope::xspace {

// The stats `_pt`, `_p` (a flow begins), `_ct`, `_c` (a flow ends) and `step_num`.
enum FlowPart : unsigned { producer_type, producer_id, consumer_type, consumer_id, step_number, flow_parts };

struct FlowValues {  // NOLINT(cppcoreguidelines-pro-type-member-init): `present` says which values were written
    std::uint64_t value[flow_parts];
    unsigned present = 0;  // bit per part

    bool ends() const { return has(consumer_type, consumer_id); }
    bool begins() const { return has(producer_type, producer_id); }
    bool is_step() const { return (present >> step_number & 1u) != 0; }

  private:
    bool has(FlowPart a, FlowPart b) const { return (present >> a & present >> b & 1u) != 0; }
};

// The stats of a plane that speak of flows and steps. Empty for nearly all device planes, whose stats need not be
// looked into then.
class FlowStats {
  public:
    FlowStats() = default;
    FlowStats(const wire::Source& source, const Plane& plane);

    bool empty() const { return bits_ == 0; }

    // True if a stat is of another id for sure and has a number, by the eight bytes where it begins: a tag and a length
    // of one byte, the tag of the id, which has one byte, and the tag of the number.
    bool is_number_of_others(std::uint64_t head) const {
        constexpr std::uint64_t numbers =
            1ULL << wire::varint_field(3) | 1ULL << wire::varint_field(4) | 1ULL << wire::varint_field(7);
        if ((head & 0xc0'80'ff'00'00U) != std::uint64_t{wire::varint_field(1)} << 16) return false;
        return (numbers >> (head >> 32 & 63) & 1) != 0 && (bits_ >> (head >> 24 & 63) & 1) == 0;
    }

    // Takes what an XStat message says, if it is one of them.
    void read(const wire::Source& source, wire::Range stat, FlowValues& values) const {
        if (!is_of_others(source, stat)) read_fields(source, stat, values);
    }

  private:
    // True if a stat is as nearly all are, its id and one value, and of another id for sure.
    bool is_of_others(const wire::Source& source, wire::Range stat) const;
    void read_fields(const wire::Source& source, wire::Range stat, FlowValues& values) const;

    // The part of a flow that a stat holds; `flow_parts`: none.
    FlowPart part_of(std::int64_t id) const {
        const std::int32_t part = parts_.find(id);
        return part == IdTable::absent ? flow_parts : static_cast<FlowPart>(part);
    }
    static std::uint64_t bit_of(std::int64_t id) { return std::uint64_t{1} << (static_cast<std::uint64_t>(id) & 63); }

    IdTable parts_;           // by the id of the stat metadata: a file may call a million stats the same
    std::uint64_t bits_ = 0;  // of the ids of these stats: one that has none of these bits is another's
};

inline bool FlowStats::is_of_others(const wire::Source& source, wire::Range stat) const {
    const std::uint8_t* p = source.data() + stat.begin;
    const std::size_t size = stat.size();
    if (size < 4 || p[0] != wire::varint_field(1)) return false;
    std::size_t value = 2;  // where its tag is
    std::int64_t id = p[1];
    if (id >= 0x80) {
        if (p[2] >= 0x80) return false;
        id = (id & 0x7f) | p[2] << 7;
        value = 3;
    }
    if ((bits_ & bit_of(id)) != 0) return false;
    const std::size_t rest = size - value - 1;
    switch (p[value]) {
    case wire::fixed64_field(2): return rest == 8;
    case wire::varint_field(3):
    case wire::varint_field(4):
    case wire::varint_field(7): return wire::is_varint_up_to(p + value + 1, p + size, source.end());
    case wire::bytes_field(5):
    case wire::bytes_field(6): return rest != 0 && p[value + 1] < 0x80 && p[value + 1] == rest - 1;
    default: return false;
    }
}

// Takes what the stats of usual events say, one after the other. Nearly all events of a line have the same stats in the same
// order, which say nothing of flows: one that begins as that of an event before is known without a further look.
class UsualFlows {
  public:
    // All that is referred to must outlive it.
    UsualFlows(const wire::Source& source, const FlowStats& stats) : source_(source), stats_(stats) {}

    void next_event() { place_ = 0; }

    // Takes what the stat says that begins with the eight bytes `head`, its tag and length among them, in an event before
    // `limit`. So many bytes as are looked at are in the file: `usual_event.hpp` says why. False: it ends behind the event,
    // and is not to be read.
    bool read(const std::uint8_t* stat, std::uint64_t head, const std::uint8_t* end, const std::uint8_t* limit,
              FlowValues& values) {
        constexpr std::ptrdiff_t before_value = 5;
        const std::uint64_t form = head & 0xff'ff'ff'00'ffU;  // all before the value but the length
        std::uint64_t& seen_form = forms_[place_++ % forms_.size()];
        const auto value_size = static_cast<std::size_t>(end - stat - before_value);
        if ((form == seen_form || stats_.is_number_of_others(head)) &&
            wire::begins_with_varint(wire::eight_bytes(stat + before_value), value_size)) {
            if (form != seen_form) seen_form = form;
            return true;
        }
        if (end > limit) return false;
        const auto offset_of = [&](const std::uint8_t* p) { return static_cast<std::size_t>(p - source_.data()); };
        stats_.read(source_, {offset_of(stat + 2), offset_of(end)}, values);
        return true;
    }

  private:
    const wire::Source& source_;
    const FlowStats& stats_;
    std::array<std::uint64_t, 4> forms_{};  // by the place among the stats of an event; 0: none
    std::size_t place_ = 0;
};

}  // namespace tilescope::xspace
