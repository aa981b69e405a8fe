#include "columns/divided_time.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

// A set, and its first span that does not end before the tick that is looked at.
struct SpanCursor {
    const PartSet* set;
    std::size_t place = 0;

    void go_to(int64_t tick) {
        const Span<const int64_t> stop = set->spans.stop;
        while (place < stop.size() && stop[place] <= tick) ++place;
    }
    bool has(int64_t tick) const { return place < set->spans.stop.size() && set->spans.start[place] <= tick; }
    int64_t start() const {
        return place < set->spans.stop.size() ? set->spans.start[place] : std::numeric_limits<int64_t>::max();
    }
    int64_t stop() const { return set->spans.stop[place]; }
};

std::vector<SpanCursor> cursors_of(const std::vector<PartSet>& sets, std::size_t parts) {
    std::vector<SpanCursor> cursors;
    for (const PartSet& set : sets) {
        if (set.part >= parts) throw std::invalid_argument("a set of ticks is of no part");
        if (same_size(set.spans.start, set.spans.stop) != 0) cursors.push_back({&set});
    }
    return cursors;
}

}  // namespace

DividedTime divided_time(const TickSpansView& stretches, const std::vector<PartSet>& sets, std::size_t parts,
                         std::size_t counted) {
    if (counted > parts) throw std::invalid_argument("more parts are counted than there are");
    const std::size_t n = same_size(stretches.start, stretches.stop);
    std::vector<SpanCursor> cursors = cursors_of(sets, parts);
    DividedTime divided{std::vector<int64_t>(parts * n, 0), std::vector<TickSpans>(parts - counted + 1)};
    TickSpans& rest = divided.spans.back();
    std::size_t most = n;  // about as many as the set with most spans leaves between them
    for (const SpanCursor& cursor : cursors) most = std::max(most, cursor.set->spans.start.size() + 1);
    rest.start.reserve(most);
    rest.stop.reserve(most);
    // Up to there no set but the first has a tick: most spans are of that one.
    int64_t quiet_until = std::numeric_limits<int64_t>::min();
    for (std::size_t k = 0; k < n; ++k) {
        for (int64_t tick = stretches.start[k], next = 0; tick < stretches.stop[k]; tick = next) {
            next = stretches.stop[k];
            const SpanCursor* owner = nullptr;
            for (std::size_t s = 0; s < cursors.size() && owner == nullptr; ++s) {
                if (s == 1 && tick < quiet_until) break;
                cursors[s].go_to(tick);
                if (cursors[s].has(tick)) owner = &cursors[s];
            }
            if (owner != nullptr) {
                next = std::min(next, owner->stop());
                for (const SpanCursor* before = cursors.data(); before != owner; ++before) {
                    next = std::min(next, before->start());
                }
            } else {
                if (tick >= quiet_until) {
                    quiet_until = std::numeric_limits<int64_t>::max();
                    for (std::size_t s = 1; s < cursors.size(); ++s) {
                        quiet_until = std::min(quiet_until, cursors[s].start());
                    }
                }
                next = std::min(next, quiet_until);
                if (!cursors.empty()) next = std::min(next, cursors.front().start());
                rest.append(tick, next);
                continue;
            }
            const std::size_t part = owner->set->part;
            divided.ticks[part * n + k] += next - tick;
            if (part >= counted) divided.spans[part - counted].append(tick, next);
        }
    }
    if (rest.start.size() < most / 2) {  // they are kept until all of a device has been read
        rest.start.shrink_to_fit();
        rest.stop.shrink_to_fit();
    }
    return divided;
}

}  // namespace tilescope
