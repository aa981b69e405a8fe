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

CallNodes::CallNodes(std::size_t most_nodes) : most_nodes_(most_nodes), slots_(kFirstSlots) {}

int32_t CallNodes::child(int32_t parent, int32_t name) {
    const uint64_t key = key_of(parent, name);
    std::size_t slot = slot_of(key, slots_.size());
    while (slots_[slot].node != kNoNode) {
        if (slots_[slot].key == key) return slots_[slot].node;
        slot = (slot + 1) & (slots_.size() - 1);
    }
    const int32_t node = append(parent, name);
    slots_[slot] = {key, node};
    if (++used_ * 2 > slots_.size()) grow();
    return node;
}

int32_t CallNodes::unnamed() { return append(kNoNode, kUnnamed); }

int32_t CallNodes::append(int32_t parent, int32_t name) {
    if (nodes_.size() >= most_nodes_) throw TooManyNodes("a call tree has too many nodes");
    nodes_.push_back({parent, name});
    return static_cast<int32_t>(nodes_.size() - 1);
}

void CallNodes::grow() {
    std::vector<Slot> slots(slots_.size() * 2);
    for (const Slot& entry : slots_) {
        if (entry.node == kNoNode) continue;
        std::size_t slot = slot_of(entry.key, slots.size());
        while (slots[slot].node != kNoNode) slot = (slot + 1) & (slots.size() - 1);
        slots[slot] = entry;
    }
    slots_ = std::move(slots);
}

int32_t CallNodes::copy(const CallNodes& other, std::size_t node, int32_t parent) {
    const Node& theirs = other.nodes_[node];
    const int32_t copied = child(parent, theirs.name);
    Node& ours = nodes_[static_cast<std::size_t>(copied)];
    ours.self = capped_sum(ours.self, theirs.self, kTicksAtMost);
    ours.count += theirs.count;
    const auto rank = [](const CallSlice& s) { return std::tuple(-s.duration, s.track, s.ordinal); };
    if (theirs.longest.duration >= 0 && rank(theirs.longest) < rank(ours.longest)) ours.longest = theirs.longest;
    return copied;
}

CallNodes::Sums CallNodes::sums() const {
    Sums sums{{}, {}, std::vector<int64_t>(size(), 1)};
    sums.total.reserve(size());
    sums.calls.reserve(size());
    for (const Node& node : nodes_) {
        sums.total.push_back(node.self);
        sums.calls.push_back(node.count);
    }
    for (std::size_t k = size(); k-- > 0;) {
        if (nodes_[k].parent == kNoNode) continue;
        const auto above = static_cast<std::size_t>(nodes_[k].parent);
        sums.total[above] = capped_sum(sums.total[above], sums.total[k], kTicksAtMost);
        sums.calls[above] += sums.calls[k];
    }
    for (std::size_t k = 0; k < size(); ++k) {
        if (nodes_[k].parent != kNoNode) sums.level[k] = sums.level[static_cast<std::size_t>(nodes_[k].parent)] + 1;
    }
    return sums;
}

CallTotals CallNodes::totals() const {
    const Sums sums = this->sums();
    CallTotals totals;
    for (std::size_t k = 0; k < size(); ++k) {
        if (!sums.is_there(k)) continue;
        ++totals.nodes;
        totals.self = capped_sum(totals.self, nodes_[k].self, kTicksAtMost);
        totals.count += nodes_[k].count;
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
        const CallSlice& slice = nodes_[k].longest;
        return std::tuple(-sums.total[k], -sums.calls[k], sums.level[k], nodes_[k].name, slice.track, slice.ordinal, k);
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
        const std::size_t above = static_cast<std::size_t>(std::int64_t{nodes_[*k].parent} + 1);  // 0: none
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
        rows.parent.push_back(nodes_[k].parent == kNoNode ? -1 : row[static_cast<std::size_t>(nodes_[k].parent)]);
        rows.name.push_back(nodes_[k].name);
        rows.total.push_back(sums.total[k]);
        rows.self.push_back(nodes_[k].self);
        rows.count.push_back(nodes_[k].count);
        rows.calls.push_back(sums.calls[k]);
        rows.longest.push_back(nodes_[k].longest.duration);
        rows.track.push_back(nodes_[k].longest.track);
        rows.ordinal.push_back(nodes_[k].longest.ordinal);
        waiting.push_back(first[k + 1]);
    }
    return rows;
}

}  // namespace tilescope
