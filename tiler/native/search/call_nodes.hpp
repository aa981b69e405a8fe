// The nodes of call trees: each stands for a chain of names, and has what is added to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// More chains of names than a tree may have.
class TooManyNodes : public std::length_error {
  public:
    using std::length_error::length_error;
};

// A slice that may be the longest of its node.
struct CallSlice {
    int64_t track;
    int64_t ordinal;
    int64_t duration;
};

// Nodes that are listed, parents first; the columns of a table.
struct CallRows {
    std::vector<int64_t> parent;  // row, -1 none
    std::vector<int64_t> name, total, self, count, calls, longest, track, ordinal;
};

// Sums over all nodes, those that are not listed too.
struct CallTotals {
    int64_t nodes = 0;
    int64_t self = 0;
    int64_t count = 0;
    int64_t levels = 0;
};

// Sums of ticks stop at 2^62.
class CallNodes {
  public:
    static constexpr int32_t kNoNode = -1;

    // `most_nodes`: at most 2^31 - 1.
    explicit CallNodes(std::size_t most_nodes);

    // The node of a name below another one. Throws TooManyNodes.
    int32_t child(int32_t parent, int32_t name);

    // A new node without a parent and a name, which no chain leads to. Throws TooManyNodes.
    int32_t unnamed();

    void add_self(int32_t node, int64_t ticks) {
        int64_t& sum = nodes_[static_cast<std::size_t>(node)].self;
        sum = ticks > kTicksAtMost - sum ? kTicksAtMost : sum + ticks;
    }

    // Counts a slice that starts, which may be the longest.
    void add_call(int32_t node, const CallSlice& slice) {
        Node& called = nodes_[static_cast<std::size_t>(node)];
        ++called.count;
        if (slice.duration > called.longest.duration) called.longest = slice;
    }

    // Adds a node of another tree below a node of this one, and returns what it became. Throws TooManyNodes.
    int32_t copy(const CallNodes& other, std::size_t node, int32_t parent);

    int32_t parent(std::size_t node) const { return nodes_[node].parent; }

    std::size_t size() const { return nodes_.size(); }

    CallTotals totals() const;

    // The nodes with the greatest totals down to some level, parents before their children, these by their totals.
    CallRows rows(std::size_t limit, int64_t levels) const;

  private:
    static constexpr int64_t kTicksAtMost = int64_t{1} << 62;

    // All that a slice adds to lies together: trees have more nodes than a cache has room for.
    struct Node {
        int32_t parent = kNoNode;
        int32_t name = -1;
        int64_t self = 0, count = 0;
        CallSlice longest{-1, -1, -1};
    };

    struct Slot {
        uint64_t key = 0;
        int32_t node = kNoNode;
    };

    // Sums over a node and all nodes below it. A node without calls and ticks is none.
    struct Sums {
        std::vector<int64_t> total, calls, level;
        bool is_there(std::size_t node) const { return total[node] > 0 || calls[node] > 0; }
    };
    Sums sums() const;

    int32_t append(int32_t parent, int32_t name);
    void grow();

    std::size_t most_nodes_;
    std::vector<Node> nodes_;  // a parent comes before its children
    // An open hash table of nodes by parent and name; its size is a power of two.
    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace tilescope
