// A call tree while slices are added to it: its nodes, and apart from them those whose chains have yet to be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "search/call_nodes.hpp"

namespace tilescope {

// A place above a slice whose parent was not read: what lies below it belongs below that parent.
struct OpenPlace {
    int32_t node;
    int64_t track;
    int64_t ordinal;  // of the slice
    int64_t start;
    int64_t row;
};

// Nodes below open places are kept apart: they do not count as chains of names, and are gone when these places are closed.
// What may take long is done in parts of some nodes each.
class CallTree {
  public:
    static constexpr std::size_t kMostNodes = std::size_t{1} << 21;

    CallNodes& nodes() { return nodes_; }
    const CallNodes& nodes() const { return nodes_; }

    // The nodes of open places, and those below them.
    CallNodes& below_places() { return below_places_; }

    // A new place above a slice whose parent is not there; its node is one of `below_places`.
    int32_t open_place(int64_t track, int64_t ordinal, int64_t start, int64_t row);

    const std::vector<OpenPlace>& open_places() const { return open_places_; }

    // Says where the open places are: nodes of the tree, or none for its top. Throws std::invalid_argument.
    void close_places(Span<const int64_t> nodes);

    // Moves up to so many nodes from below closed places into the tree; false once none is left. Throws TooManyNodes.
    bool settle(std::size_t most);

    // Moves up to so many nodes of another tree into this one; false once that is empty. Throws TooManyNodes, and
    // std::invalid_argument where it has open places, is this one, or has begun to move elsewhere.
    bool take(CallTree& other, std::size_t most);

    // Throws std::invalid_argument while nodes are being moved: what is added then would be lost.
    void check_at_rest() const;

  private:
    // As many as slices are added before places are closed.
    static constexpr std::size_t kMostBelowPlaces = INT32_MAX;

    CallNodes nodes_{kMostNodes}, below_places_{kMostBelowPlaces};
    std::vector<OpenPlace> open_places_;
    std::vector<int32_t> targets_;  // of the open places, once they are closed
    std::vector<int32_t> settled_;  // what nodes below places became, as far as they are moved
    std::size_t settled_places_ = 0;
    const CallTree* taker_ = nullptr;
    std::vector<int32_t> taken_;  // what nodes became in the tree that takes them
};

}  // namespace tilescope
