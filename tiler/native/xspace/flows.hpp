// The stats of an XSpace that say what an event stands for among others: pairs that name the flow which it begins or
// ends, and the number of the training step that it is.
#pragma once

#include "xspace/outline.hpp"
#include "xspace/wire.hpp"

#include <cstdint>
#include <vector>

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

// Which stats of a plane speak of flows and steps. Empty for nearly all device planes, whose stats need not be looked into then.
class FlowStats {
  public:
    FlowStats() = default;
    FlowStats(const wire::Source& source, const Plane& plane);

    bool empty() const { return stats_.empty(); }

    // Takes what an XStat message says, if it is one of them.
    void read(const wire::Source& source, wire::Range stat, FlowValues& values) const;

  private:
    struct FlowStat {
        std::int64_t id;  // of the stat metadata
        FlowPart part;
    };
    std::vector<FlowStat> stats_;
};

}  // namespace tilescope::xspace
