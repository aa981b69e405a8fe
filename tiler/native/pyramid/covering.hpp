// The slices that cover a bin of a rollup from end to end.
//
// Bins are the nodes of a tree with four children each. A slice is entered at the highest nodes that it covers, and so
// covers all below them: what covers a node was entered on the way to it. So nothing is noted per bin.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/span.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

class Covering {
  public:
    // Summary of all slices that are entered. It only grows on the way down: on the way up, an earlier one is put back.
    struct Summary {
        Summary() { lowest_cut.fill(INT32_MAX); }

        int64_t slices = 0;
        int64_t longest = 0;
        size_t names = 0;  // see `names`: how many
        int64_t most = 0;  // slices of a name: the most, and of the names that have as many the lowest
        int32_t name = INT32_MAX;
        // The busy time of 4**(k + 4) slices is cut at the level 27 - k: of the names that have as many, the lowest.
        std::array<int32_t, 12> lowest_cut{};
    };

    const Summary& summary() const { return summary_; }

    // So many slices of each name cover the node at hand; none of them lasts longer than `longest`.
    void enter(const std::vector<Part>& covers, int64_t longest) {
        summary_.longest = std::max(summary_.longest, longest);
        for (const Part& cover : covers) enter(cover.name, cover.count);
    }

    // The node is left. `before`: the summary when it was entered.
    void leave(const std::vector<Part>& covers, const Summary& before) {
        for (const Part& cover : covers) slices_at(cover.name) -= cover.count;
        summary_ = before;
        names_.resize(before.names);
    }

    // The names of the slices that cover the node at hand.
    Span<const int32_t> names() const { return names_; }

    // The busy time of slices that cover a bin of the level, in ticks.
    static int64_t busy_of(int64_t slices, int level) {
        return slices > kBusyLimit >> (2 * level) ? kBusyLimit : slices << (2 * level);
    }

    // The busy time of all slices in a bin of the level, in ticks.
    int64_t busy(int level) const { return busy_of(summary_.slices, level); }

    // The busy time of the slices of one name.
    int64_t busy(int level, int32_t name) const {
        const size_t index = static_cast<size_t>(int64_t{name} + 1);
        return index < slices_of_.size() ? busy_of(static_cast<int64_t>(slices_of_[index]), level) : 0;
    }

    // The busy time of the slices of any name, where they have one: at most.
    int64_t most_busy(int level) const { return busy_of(summary_.most, level); }

    // The name that dominates a bin of the level, if nothing else is in it: -1 where nothing that covers it has a name.
    // Something must cover it.
    Part dominant(int level) const {
        const size_t cut = static_cast<size_t>(kMaxLevel - level);
        const bool is_cut = cut < summary_.lowest_cut.size() && summary_.lowest_cut[cut] != INT32_MAX;
        if (!is_cut && summary_.most == 0) return {-1, busy(level, -1), 0};
        const int32_t name = is_cut ? summary_.lowest_cut[cut] : summary_.name;
        return {name, busy(level, name), 0};
    }

  private:
    void enter(int32_t name, uint64_t more) {
        const int64_t before = static_cast<int64_t>(slices_at(name));
        const int64_t slices = static_cast<int64_t>(slices_at(name) += more);
        summary_.slices += slices - before;
        if (before == 0) {
            names_.push_back(name);
            summary_.names = names_.size();
        }
        if (name < 0) return;
        if (slices > summary_.most || (slices == summary_.most && name < summary_.name)) {
            summary_.most = slices;
            summary_.name = name;
        }
        for (size_t k = 0; k < summary_.lowest_cut.size(); ++k) {
            const int64_t cut = int64_t{256} << (2 * k);
            if (slices < cut) return;
            if (before < cut) summary_.lowest_cut[k] = std::min(summary_.lowest_cut[k], name);
        }
    }

    uint64_t& slices_at(int32_t name) {
        if (name < -1) throw std::invalid_argument("a name is no number of a name");
        const size_t index = static_cast<size_t>(int64_t{name} + 1);
        if (index >= slices_of_.size()) slices_of_.resize(index + 1);
        return slices_of_[index];
    }

    Summary summary_;
    std::vector<int32_t> names_;
    std::vector<uint64_t> slices_of_;  // by name, which is -1 where there is none
};

}  // namespace tilescope
