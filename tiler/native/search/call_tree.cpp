#include "search/call_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

int32_t CallTree::open_place(int64_t track, int64_t ordinal, int64_t start, int64_t row) {
    const int32_t node = below_places_.unnamed();
    open_places_.push_back({node, track, ordinal, start, row});
    return node;
}

void CallTree::close_places(Span<const int64_t> nodes) {
    check_at_rest();
    if (nodes.size() != open_places_.size()) throw std::invalid_argument("each open place needs a node");
    for (const int64_t node : nodes) {
        if (node < CallNodes::kNoNode || node >= static_cast<int64_t>(nodes_.size())) {
            throw std::invalid_argument("no such node");
        }
    }
    targets_.reserve(nodes.size());
    for (const int64_t node : nodes) targets_.push_back(static_cast<int32_t>(node));
}

bool CallTree::settle(std::size_t most) {
    if (targets_.size() != open_places_.size()) throw std::invalid_argument("places are open");
    const std::size_t size = below_places_.size();
    const std::size_t stop = settled_.size() + std::min(most, size - settled_.size());
    for (std::size_t k = settled_.size(); k < stop; ++k) {
        const int32_t above = below_places_.parent(k);
        // Places were appended with their nodes: they come in the same order.
        settled_.push_back(above == CallNodes::kNoNode
                               ? targets_[settled_places_++]
                               : nodes_.copy(below_places_, k, settled_[static_cast<std::size_t>(above)]));
    }
    if (stop < size) return true;
    if (size > 0) below_places_ = CallNodes(kMostBelowPlaces);
    open_places_.clear();
    targets_.clear();
    settled_ = {};
    settled_places_ = 0;
    return false;
}

bool CallTree::take(CallTree& other, std::size_t most) {
    check_at_rest();
    if (&other == this) throw std::invalid_argument("a tree cannot take itself");
    if (!other.open_places_.empty()) throw std::invalid_argument("places are open");
    if (other.taker_ != nullptr && other.taker_ != this) throw std::invalid_argument("another tree takes this one");
    other.taker_ = this;
    const CallNodes& theirs = other.nodes_;
    std::vector<int32_t>& ours = other.taken_;
    const std::size_t stop = ours.size() + std::min(most, theirs.size() - ours.size());
    for (std::size_t k = ours.size(); k < stop; ++k) {
        const int32_t above = theirs.parent(k);
        ours.push_back(nodes_.copy(
            theirs, k, above == CallNodes::kNoNode ? CallNodes::kNoNode : ours[static_cast<std::size_t>(above)]));
    }
    if (stop < theirs.size()) return true;
    other = CallTree();
    return false;
}

void CallTree::check_at_rest() const {
    if (!targets_.empty() || taker_ != nullptr) throw std::invalid_argument("nodes of the tree are being moved");
}

}  // namespace tilescope
