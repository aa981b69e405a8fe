#include "columns/flow_join.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "columns/event_codes.hpp"

namespace tilescope {

namespace {

// Keys are put into buckets first, so that what is sorted at a time is small.
constexpr unsigned bucket_bits = 10;
constexpr std::size_t buckets = std::size_t{1} << bucket_bits;

std::size_t bucket_of(std::int64_t key) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL >> (64 - bucket_bits));
}

struct End {
    std::int64_t key;
    std::int64_t tick;
    std::uint32_t row;
    Phase phase;

    bool operator<(const End& other) const {
        return std::tie(key, tick, phase, row) < std::tie(other.key, other.tick, other.phase, other.row);
    }
    bool gives() const { return phase != Phase::flow_end; }
    bool takes() const { return phase != Phase::flow_start; }
};

// The ends of one key, in the order of time.
void join_key(const std::vector<End>& ends, std::size_t first, std::size_t last, FlowEdges& edges) {
    const auto join = [&](const End& source, const End& target) {
        edges.source.push_back(source.row);
        edges.target.push_back(target.row);
    };
    // Ends that lie before the only start of their key are joined to it all the same.
    std::size_t early = first;
    while (early < last && !ends[early].gives()) ++early;
    std::size_t starts = 0;
    const End* only = nullptr;
    for (std::size_t k = early; k < last && starts < 2; ++k) {
        if (ends[k].phase != Phase::flow_start) continue;
        ++starts;
        only = &ends[k];
    }
    if (starts == 1) {
        for (std::size_t k = first; k < early; ++k) join(*only, ends[k]);
    } else {
        edges.ends_without_start += static_cast<std::int64_t>(early - first);
    }
    const bool only_is_followed = starts == 1 && early > first;
    const End* giver = nullptr;
    bool followed = false;
    const auto leave = [&] {
        if (giver != nullptr && !followed && !(only_is_followed && giver == only)) ++edges.starts_without_end;
    };
    for (std::size_t k = early; k < last; ++k) {
        if (ends[k].takes()) {
            if (giver == nullptr) {
                ++edges.ends_without_start;
            } else {
                join(*giver, ends[k]);
                followed = true;
            }
        }
        if (ends[k].gives()) {
            leave();
            giver = &ends[k];
            followed = false;
        }
    }
    leave();
}

}  // namespace

FlowEdges join_flows(Span<const std::uint8_t> phase, Span<const std::int64_t> tick, Span<const std::int64_t> key,
                     std::size_t share, std::size_t shares) {
    if (share >= shares || shares > buckets) throw std::invalid_argument("a share that is none");
    const std::size_t n = same_size(phase, tick, key);
    if (n > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("too many flow ends");
    FlowEdges edges;
    const std::size_t begin_bucket = share * buckets / shares;
    const std::size_t end_bucket = (share + 1) * buckets / shares;
    const auto is_here = [&](std::int64_t flow) {
        return flow >= 0 && bucket_of(flow) - begin_bucket < end_bucket - begin_bucket;
    };
    std::array<std::size_t, buckets + 1> first{};
    for (std::size_t k = 0; k < n; ++k) {
        if (is_here(key[k])) {
            ++first[bucket_of(key[k]) + 1];
        } else if (key[k] < 0 && share == 0) {
            ++edges.without_key;
        }
    }
    for (std::size_t k = 0; k < buckets; ++k) first[k + 1] += first[k];
    std::vector<std::uint32_t> rows(first[buckets]);
    auto next = first;
    for (std::size_t k = 0; k < n; ++k) {
        if (is_here(key[k])) rows[next[bucket_of(key[k])]++] = static_cast<std::uint32_t>(k);
    }
    std::vector<End> ends;
    for (std::size_t bucket = begin_bucket; bucket < end_bucket; ++bucket) {
        ends.clear();
        ends.reserve(first[bucket + 1] - first[bucket]);
        for (std::size_t k = first[bucket]; k < first[bucket + 1]; ++k) {
            const std::uint32_t row = rows[k];
            ends.push_back({key[row], tick[row], row, static_cast<Phase>(phase[row])});
        }
        std::sort(ends.begin(), ends.end());
        for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
            while (end < ends.size() && ends[end].key == ends[begin].key) ++end;
            join_key(ends, begin, end, edges);
        }
    }
    return edges;
}

}  // namespace tilescope
