// Totals of a trace, counted from the events themselves and not from what a writer made of them.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/plan.hpp"
#include "synth/track.hpp"

namespace tilescope::synth {

struct TrackTotals {
    std::uint64_t slices = 0;
    std::uint64_t instants = 0;
    std::uint64_t counter_samples = 0;
    std::uint64_t async_slices = 0;
    std::uint64_t flow_ends = 0;  // in the file as events of their own; XSpace has them as arguments and none here
    std::uint64_t busy_ps = 0;    // summed durations of slices and async slices

    void add(const PlannedEvent& event, Role role, Format format) {
        busy_ps += event.duration_ps;
        if (role == Role::counter) {
            ++counter_samples;
        } else if (format == Format::xspace) {
            ++slices;
        } else if (role == Role::async_operations) {
            ++async_slices;
        } else if (event.instant) {
            ++instants;
        } else {
            ++slices;
            if (event.flow_side != FlowSide::none) ++flow_ends;
        }
    }

    // As written in the file: the begin and the end of an async slice are two.
    std::uint64_t events() const { return slices + instants + counter_samples + 2 * async_slices + flow_ends; }
};

// One per track of the plan, in its order.
using Totals = std::vector<TrackTotals>;

}  // namespace tilescope::synth
