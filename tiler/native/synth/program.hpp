// The program of a track in one step: a fixed sequence of nested slices, as a compiled module or a training loop has
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope::synth {

struct ProgramNode {
    std::uint32_t name;     // index into the vocabulary of the track
    std::uint32_t start;    // in units of weight since the start of the program
    std::uint32_t end;
    bool leaf;
};

struct ProgramShape {
    std::size_t nodes;        // at least 1
    unsigned max_depth;       // 1: flat
    unsigned nest_percent;    // how often a node gets children
    std::uint32_t leaf_names;    // names [0, leaf_names) are for leaves,
    std::uint32_t parent_names;  // the next `parent_names` for nodes with children
    bool each_once;              // names in their order, again when all had a turn; otherwise some far more often
};

class Program {
  public:
    Program(const ProgramShape& shape, std::uint64_t seed);

    std::size_t size() const { return nodes_.size(); }
    // In the order of their starts, parents before children.
    const ProgramNode& node(std::size_t k) const { return nodes_[k]; }
    // The end of the latest of the first n nodes; at least 1.
    std::uint32_t reach(std::size_t n) const { return reach_[n - 1]; }

  private:
    std::vector<ProgramNode> nodes_;
    std::vector<std::uint32_t> reach_;
};

}  // namespace tilescope::synth
