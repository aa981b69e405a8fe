#include "search/call_nodes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tilescope {

namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr int32_t kUnnamed = -1;  // the node has no entry in the table, so that no chain leads to it

uint64_t key_of(int32_t parent, int32_t name) {
    return (static_cast<uint64_t>(static_cast<uint32_t>(parent)) << 32) | static_cast<uint32_t>(name);
}

std::size_t slot_of(uint64_t key, std::size_t slots) {
    // Numbers that follow one another are spread over all bits, twice, as both halves count.
    constexpr uint64_t golden = 0x9E3779B97F4A7C15u;  // 2^64 by the golden ratio
    key *= golden;
    key = (key ^ (key >> 32)) * golden;
    return static_cast<std::size_t>(key >> 32) & (slots - 1);
}

int64_t capped_sum(int64_t a, int64_t b, int64_t most) { return b > most - a ? most : a + b; }

}  // namespace

CallNodes::CallNodes(std::size_t most_nodes)
    : most_nodes_(most_nodes), keys_(kFirstSlots), nodes_(kFirstSlots, kNoNode) {}

int32_t CallNodes::child(int32_t parent, int32_t name) {
    const uint64_t key = key_of(parent, name);
    std::size_t slot = slot_of(key, keys_.size());
    while (nodes_[slot] != kNoNode) {
        if (keys_[slot] == key) return nodes_[slot];
        slot = (slot + 1) & (keys_.size() - 1);
    }
    const int32_t node = append(parent, name);
    keys_[slot] = key;
    nodes_[slot] = node;
    if (++used_ * 2 > keys_.size()) grow();
    return node;
}

int32_t CallNodes::unnamed() { return append(kNoNode, kUnnamed); }

int32_t CallNodes::append(int32_t parent, int32_t name) {
    if (parent_.size() >= most_nodes_) throw TooManyNodes("a call tree has too many nodes");
    parent_.push_back(parent);
    name_.push_back(name);
    self_.push_back(0);
    count_.push_back(0);
    longest_.push_back({-1, -1, -1});
    return static_cast<int32_t>(parent_.size() - 1);
}

void CallNodes::grow() {
    const std::size_t slots = keys_.size() * 2;
    std::vector<uint64_t> keys(slots);
    std::vector<int32_t> nodes(slots, kNoNode);
    for (std::size_t k = 0; k < keys_.size(); ++k) {
        if (nodes_[k] == kNoNode) continue;
        std::size_t slot = slot_of(keys_[k], slots);
        while (nodes[slot] != kNoNode) slot = (slot + 1) & (slots - 1);
        keys[slot] = keys_[k];
        nodes[slot] = nodes_[k];
    }
    keys_ = std::move(keys);
    nodes_ = std::move(nodes);
}

int32_t CallNodes::copy(const CallNodes& other, std::size_t node, int32_t parent) {
    const int32_t copied = child(parent, other.name_[node]);
    const auto k = static_cast<std::size_t>(copied);
    self_[k] = capped_sum(self_[k], other.self_[node], kTicksAtMost);
    count_[k] += other.count_[node];
    const CallSlice ours = longest_[k], slice = other.longest_[node];
    const auto rank = [](const CallSlice& s) { return std::tuple(-s.duration, s.track, s.ordinal); };
    if (slice.duration >= 0 && rank(slice) < rank(ours)) longest_[k] = slice;
    return copied;
}

CallNodes::Sums CallNodes::sums() const {
    Sums sums{self_, count_, std::vector<int64_t>(size(), 1)};
    for (std::size_t k = size(); k-- > 0;) {
        if (parent_[k] == kNoNode) continue;
        const auto above = static_cast<std::size_t>(parent_[k]);
        sums.total[above] = capped_sum(sums.total[above], sums.total[k], kTicksAtMost);
        sums.calls[above] += sums.calls[k];
    }
    for (std::size_t k = 0; k < size(); ++k) {
        if (parent_[k] != kNoNode) sums.level[k] = sums.level[static_cast<std::size_t>(parent_[k])] + 1;
    }
    return sums;
}

CallTotals CallNodes::totals() const {
    const Sums sums = this->sums();
    CallTotals totals;
    for (std::size_t k = 0; k < size(); ++k) {
        if (!sums.is_there(k)) continue;
        ++totals.nodes;
        totals.self = capped_sum(totals.self, self_[k], kTicksAtMost);
        totals.count += count_[k];
        totals.levels = std::max(totals.levels, sums.level[k]);
    }
    return totals;
}

CallRows CallNodes::rows(std::size_t limit, int64_t levels) const {
    const Sums sums = this->sums();
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < size(); ++k) {
        if (sums.is_there(k) && sums.level[k] <= levels) order.push_back(k);
    }
    // No node comes before its parent: that has at least its ticks and calls, and is one level higher.
    const auto rank = [&](std::size_t k) {
        const CallSlice& slice = longest_[k];
        return std::tuple(-sums.total[k], -sums.calls[k], sums.level[k], name_[k], slice.track, slice.ordinal, k);
    };
    const auto comes_first = [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); };
    if (order.size() > limit) {
        std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit), order.end(), comes_first);
        order.resize(limit);
    }
    std::sort(order.begin(), order.end(), comes_first);
    // Lists of children, each in that order: the first of a node, and the next beside each.
    std::vector<int32_t> first(size() + 1, kNoNode), next(size(), kNoNode), row(size(), -1);
    for (auto k = order.rbegin(); k != order.rend(); ++k) {
        const std::size_t above = static_cast<std::size_t>(std::int64_t{parent_[*k]} + 1);  // 0: none
        next[*k] = first[above];
        first[above] = static_cast<int32_t>(*k);
    }
    CallRows rows;
    std::vector<int32_t> waiting{first[0]};
    while (!waiting.empty()) {
        const int32_t node = waiting.back();
        if (node == kNoNode) {
            waiting.pop_back();
            continue;
        }
        const auto k = static_cast<std::size_t>(node);
        waiting.back() = next[k];
        row[k] = static_cast<int32_t>(rows.name.size());
        rows.parent.push_back(parent_[k] == kNoNode ? -1 : row[static_cast<std::size_t>(parent_[k])]);
        rows.name.push_back(name_[k]);
        rows.total.push_back(sums.total[k]);
        rows.self.push_back(self_[k]);
        rows.count.push_back(count_[k]);
        rows.calls.push_back(sums.calls[k]);
        rows.longest.push_back(longest_[k].duration);
        rows.track.push_back(longest_[k].track);
        rows.ordinal.push_back(longest_[k].ordinal);
        waiting.push_back(first[k + 1]);
    }
    return rows;
}

}  // namespace tilescope
