#include "synth/program.hpp"

#include <algorithm>
#include <array>

#include "synth/random.hpp"

namespace tilescope::synth {

namespace {

// Most operations are short and a few take most of the time, as in real modules.
constexpr std::array<std::uint32_t, 12> kTypicalWeights = {1, 1, 2, 2, 3, 4, 6, 8, 12, 20, 40, 120};

std::uint32_t leaf_weight(Random& random) {
    if (random.chance(1)) return 0;  // zero-length slices exist in real traces
    const std::uint32_t typical = kTypicalWeights[random.below(kTypicalWeights.size())];
    return typical * static_cast<std::uint32_t>(random.between(50, 150));
}

// A name that is used often is used very often: the smaller of two draws.
std::uint32_t pick(Random& random, std::uint32_t names) {
    return static_cast<std::uint32_t>(std::min(random.below(names), random.below(names)));
}

}  // namespace

Program::Program(const ProgramShape& shape, std::uint64_t seed) {
    Random random(seed);
    nodes_.reserve(shape.nodes);
    std::vector<std::size_t> open;  // the parents of the place where we are
    std::uint32_t now = 0;
    std::uint32_t leaf = 0;
    std::uint32_t parent = 0;
    const auto leaf_name = [&] { return shape.each_once ? leaf++ % shape.leaf_names : pick(random, shape.leaf_names); };
    const auto parent_name = [&] {
        return shape.each_once ? parent++ % shape.parent_names : pick(random, shape.parent_names);
    };
    while (nodes_.size() < shape.nodes) {
        if (!open.empty() && random.chance(18)) {
            nodes_[open.back()].end = now + static_cast<std::uint32_t>(random.below(40));
            now = nodes_[open.back()].end;
            open.pop_back();
            continue;
        }
        const bool nest = open.size() + 1 < shape.max_depth && random.chance(shape.nest_percent);
        if (nest) {
            const std::uint32_t name = shape.leaf_names + parent_name();
            open.push_back(nodes_.size());
            nodes_.push_back({name, now, now, false});
            now += static_cast<std::uint32_t>(random.below(30));
            continue;
        }
        const std::uint32_t weight = leaf_weight(random);
        nodes_.push_back({leaf_name(), now, now + weight, true});
        now += weight;
        if (random.chance(30)) now += static_cast<std::uint32_t>(random.below(200));
    }
    for (const std::size_t parent : open) nodes_[parent].end = now;

    reach_.reserve(nodes_.size());
    std::uint32_t reach = 1;
    for (const ProgramNode& node : nodes_) reach_.push_back(reach = std::max(reach, node.end));
}

}  // namespace tilescope::synth
