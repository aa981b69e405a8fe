// Notes that slices leave in a terminal tile of a rollup, at the nodes of the tree whose leaves are the tile's bins.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/span.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/rollup_sums.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

template <typename APart>
class NodeNotes {
  public:
    // The tree's root is so many levels above bins.
    static constexpr int kHeight = 4;

    // The number of a node by its position among those of its height: those of bins come first.
    static size_t number(size_t position, int height) { return kFirst[static_cast<size_t>(height)] + position; }

    // Begins the part of a tile before `stop` with so many bins, a power of 4, of the level.
    void begin(int level, int64_t bins, int64_t stop) {
        level_ = level;
        last_bin_ = static_cast<size_t>(bins - 1);
        stop_ = stop;
    }

    // Notes slices that start in it; `outlasts` is called with the numbers of those that end behind it. First come the bins in
    // which slices start, without a guess about where they end, then the others of those that end in another.
    template <typename Outlasts>
    void add(const SliceColumns& slices, const Outlasts& outlasts) {
        const int level = level_;  // what loops write cannot be these
        const size_t last_bin = last_bin_;
        for (size_t first = 0; first < slices.size(); first += kAtOnce) {
            const size_t n = std::min(kAtOnce, slices.size() - first);
            const int64_t* start = slices.start.data() + first;
            const int64_t* duration = slices.duration.data() + first;
            const int32_t* name = slices.name.data() + first;
            size_t left = 0;
            for (size_t k = 0; k < n; ++k) {
                const int64_t bin = bin_at(start[k], level);
                const int64_t bin_end = bin_start(bin + 1, level);
                const int64_t end = start[k] + duration[k];
                nodes_[number(static_cast<size_t>(bin) & last_bin, 0)].add(name[k], std::min(end, bin_end) - start[k],
                                                                           1);
                leaving_[left] = static_cast<uint16_t>(k);
                left += end > bin_end ? 1 : 0;
            }
            for (size_t position = 0; position < left; ++position) {
                const size_t k = leaving_[position];
                const size_t bin = place_of_bin(start[k]);
                nodes_[number(bin, 0)].saw(duration[k]);
                add_behind(bin, start[k] + duration[k], duration[k], name[k]);
                if (start[k] + duration[k] > stop_) outlasts(first + k);
            }
        }
    }

    // Notes a slice that runs from `start`, where a bin begins, to `end` in the part, and started before it.
    void add_rest(int64_t start, int64_t end, int64_t duration, int32_t name) {
        const size_t bin = place_of_bin(start);
        add_note(bin, 0, name, std::min(end, bin_start(bin_at(start, level_) + 1, level_)) - start, 0, duration);
        if (bin_at(start, level_) != bin_at(end - 1, level_)) add_behind(bin, end, duration, name);
    }

    // True if there is anything in the node at this position of a height, or below it.
    bool any(size_t position, int height) const {
        for (size_t nodes = 1;; nodes *= 4, position *= 4, --height) {
            const auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(number(position, height));
            const auto last = first + static_cast<std::ptrdiff_t>(nodes);
            if (std::any_of(first, last, [](const Node& node) { return node.any(); })) return true;
            if (height == 0) return false;
        }
    }

    // Duration of the longest slice that was noted at a node. Of a bin: of those that do not lie in it from end to end.
    int64_t longest(size_t node) const { return nodes_[node].longest(); }

    // Sums up the notes of a node, and puts one part for each name behind those of `out`.
    RollupSums sum(size_t node, RollupSummer<APart>& summer, PartBuffer<APart>& out, bool is_cut) const {
        return nodes_[node].sum(summer, out, is_cut);
    }

    void clear() {
        for (Node& node : nodes_) node.clear();
    }

  private:
    // The notes of a node are summed up whenever they fill their room, unless this is little: a tile takes as much memory as its
    // nodes have names, however many slices it has.
    class alignas(64) Node {
      public:
        void add(int32_t name, int64_t busy, uint64_t count) {
            if (next_ == end_) make_room();
            *next_++ = APart(name, busy, count);
        }

        void saw(int64_t duration) { longest_ = std::max(longest_, duration); }

        bool any() const { return next_ != room_.data(); }
        int64_t longest() const { return longest_; }

        RollupSums sum(RollupSummer<APart>& summer, PartBuffer<APart>& out, bool is_cut) const {
            RollupSums sums = summer.sum(parts(), out, is_cut);
            if (summed_ > 0) sums.longest = longest_note();
            return sums;
        }

        void clear() {
            next_ = room_.data();
            summed_ = 0;
            longest_ = 0;
        }

      private:
        static constexpr size_t kSumAt = 4096;

        size_t size() const { return static_cast<size_t>(next_ - room_.data()); }
        Span<const APart> parts() const { return Span<const APart>(room_).first(size()); }

        int64_t longest_note() const {
            int64_t longest = 0;
            for (const APart& part : parts().subspan(summed_)) longest = std::max(longest, part.busy());
            return longest;
        }

        void make_room() {
            if (room_.size() >= kSumAt) sum_early();
            const size_t n = size();
            if (2 * n >= room_.size()) room_.resize(std::max<size_t>(32, 2 * room_.size()));
            next_ = room_.data() + n;
            end_ = room_.data() + room_.size();
        }

        void sum_early() {
            saw(longest_note());
            PartBuffer<APart> sums;
            RollupSummer<APart>::of_thread().sum(parts(), sums, true);
            next_ = std::copy(sums.parts().begin(), sums.parts().end(), room_.data());
            summed_ = sums.size();
        }

        APart* next_ = nullptr;  // where the next note goes, in its room
        APart* end_ = nullptr;
        std::vector<APart> room_;
        size_t summed_ = 0;  // so many of the notes, the first, are sums of others
        int64_t longest_ = 0;
    };

    static constexpr std::array<size_t, kHeight + 1> kFirst{0, 256, 320, 336, 340};
    static constexpr size_t kAll = 341;
    static constexpr size_t kAtOnce = 256;  // slices

    size_t place_of_bin(int64_t tick) const { return static_cast<size_t>(bin_at(tick, level_)) & last_bin_; }

    // Notes what a slice that leaves the bin `first` has of the part behind it: the bin in which it ends, and the nodes between.
    // It covers what it reaches into.
    void add_behind(size_t first, int64_t end, int64_t duration, int32_t name) {
        const int64_t width = bin_start(1, level_);
        const int64_t last_tick = std::min(end, stop_) - 1;
        size_t left = first + 1;
        size_t right = place_of_bin(last_tick);
        if (right < left) return;  // it ends behind the part
        add_note(right, 0, name, (last_tick & (width - 1)) + 1, 0, duration);
        for (int height = 0; left < right; ++height, left /= 4, right /= 4) {
            const uint16_t covers = height > 0 ? 1 : 0;
            const int64_t busy = height > 0 ? 0 : width;
            for (; left < right && left % 4 != 0; ++left) add_note(left, height, name, busy, covers, duration);
            for (; left < right && right % 4 != 0; --right) add_note(right - 1, height, name, busy, covers, duration);
        }
    }

    // Notes a slice at the node at this position of a height. `count`: a bin counts the slices that start in it,
    // another node those that cover it.
    void add_note(size_t position, int height, int32_t name, int64_t busy, uint16_t count, int64_t duration) {
        Node& node = nodes_[number(position, height)];
        node.add(name, busy, count);
        node.saw(duration);
    }

    int level_ = 0;
    size_t last_bin_ = 0;
    int64_t stop_ = 0;
    std::array<uint16_t, kAtOnce> leaving_{};  // slices that end in another bin than they begin in
    std::array<Node, kAll> nodes_;
};

}  // namespace tilescope
