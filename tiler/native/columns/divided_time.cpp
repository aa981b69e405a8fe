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

// Returns up to where all ticks from `tick` on are in any of these sets, `end` at most.
int64_t covered_until(Span<SpanCursor> sets, int64_t tick, int64_t end) {
    // Spans of one set are apart: behind one of them only the others are asked.
    for (std::size_t s = 0, without = 0; without < sets.size() && tick < end; s = s + 1 < sets.size() ? s + 1 : 0) {
        sets[s].go_to(tick);
        ++without;
        if (!sets[s].has(tick)) continue;
        tick = std::min(sets[s].stop(), end);
        without = 1;
    }
    return tick;
}

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
    // Most spans are of the first sets, two streams of kernels by turns: they are gone through at once. Up to `quiet_until`
    // no other set has a tick, such as those of the same part with few spans.
    constexpr std::size_t kFew = 8;
    const auto has_many = [&](const SpanCursor& cursor) {
        return cursor.set->part == cursors[0].set->part &&
               cursor.set->spans.start.size() * kFew >= cursors[0].set->spans.start.size();
    };
    const auto leading =
        static_cast<std::size_t>(std::find_if_not(cursors.begin(), cursors.end(), has_many) - cursors.begin());
    const Span<SpanCursor> leading_sets(cursors.data(), leading),
        others(cursors.data() + leading, cursors.size() - leading);
    int64_t quiet_until = std::numeric_limits<int64_t>::min();
    const auto add = [&](std::size_t part, std::size_t k, int64_t start, int64_t stop) {
        divided.ticks[part * n + k] += stop - start;
        if (part >= counted) divided.spans[part - counted].append(start, stop);
    };
    for (std::size_t k = 0; k < n; ++k) {
        for (int64_t tick = stretches.start[k], next = 0; tick < stretches.stop[k]; tick = next) {
            next = covered_until(leading_sets, tick, stretches.stop[k]);
            if (next > tick) {
                add(leading_sets[0].set->part, k, tick, next);
                continue;
            }
            next = stretches.stop[k];
            for (const SpanCursor& set : leading_sets) next = std::min(next, set.start());
            const SpanCursor* owner = nullptr;
            if (tick >= quiet_until) {
                quiet_until = std::numeric_limits<int64_t>::max();
                for (SpanCursor& set : others) {
                    set.go_to(tick);
                    if (set.has(tick)) {
                        owner = &set;
                        next = std::min(next, set.stop());
                        break;
                    }
                    quiet_until = std::min(quiet_until, set.start());
                }
            }
            next = std::min(next, quiet_until);
            if (owner == nullptr) {
                rest.append(tick, next);
            } else {
                add(owner->set->part, k, tick, next);
                quiet_until = tick;  // some sets were not looked at
            }
        }
    }
    if (rest.start.size() < most / 2) {  // they are kept until all of a device has been read
        rest.start.shrink_to_fit();
        rest.stop.shrink_to_fit();
    }
    return divided;
}

}  // namespace tilescope
