// Sets of ticks, as spans that ascend and do not touch: tiler/windows.py.
#pragma once

#include <cstdint>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// The ticks [start[k], stop[k]).
struct TickSpans {
    std::vector<int64_t> start, stop;

    // Behind all that are there: joined with the last where the two touch.
    void append(int64_t first, int64_t last);
};

// The ticks in [0, limit) that lie in any of some spans, which may be in any order, overlap and be empty.
TickSpans tick_spans(Span<const int64_t> start, Span<const int64_t> stop, int64_t limit);
// The same, without a copy of those that ascend and do not touch.
TickSpans tick_spans(TickSpans&& spans, int64_t limit);

struct TickSpansView {
    Span<const int64_t> start, stop;
};

// These take spans that ascend and do not touch; what they return of others is some set of ticks.
TickSpans joined_spans(const TickSpansView& a, const TickSpansView& b);
TickSpans spans_without(const TickSpansView& a, const TickSpansView& b);

}  // namespace tilescope
