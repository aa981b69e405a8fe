// What slices leave in a terminal tile of a rollup: notes at the nodes of the tree whose leaves are the tile's bins.
//
// Notes are put down as they come, and brought into the order of nodes once, when the tile is whole: most nodes have few.
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

    // Nodes of a subtree of each height. Those of the tile are numbered from the root on, each before its children.
    static constexpr std::array<size_t, kHeight + 1> kNodes{1, 5, 21, 85, 341};

    // The number of the `at`th node of a height.
    static size_t number(size_t at, int height) { return kNumbers[kHeights[static_cast<size_t>(height)] + at]; }

    // What follows is about the part of a tile before `stop` with so many bins, a power of 4, of the level.
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
            make_room(n);
            Note* note = notes_.data() + size_;
            size_t left = 0;
            for (size_t k = 0; k < n; ++k) {
                const int64_t bin = bin_at(start[k], level);
                const int64_t bin_end = bin_start(bin + 1, level);
                const int64_t end = start[k] + duration[k];
                const size_t node = number(static_cast<size_t>(bin) & last_bin, 0);
                note[k] = {std::min(end, bin_end) - start[k], name[k], static_cast<uint16_t>(node), 1};
                ++ends_[node + 1];
                leaving_[left] = static_cast<uint16_t>(k);
                left += end > bin_end ? 1 : 0;
            }
            size_ += n;
            for (size_t at = 0; at < left; ++at) {
                const size_t k = leaving_[at];
                const size_t bin = place_of_bin(start[k]);
                longest_[number(bin, 0)] = std::max(longest_[number(bin, 0)], duration[k]);
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

    // To be called when the tile is whole, before what follows.
    void put_in_order() {
        order();
        summed_early_ = !early_.empty();
    }

    // Whether there is anything in a node or below it.
    bool any(size_t node, int height) const {
        const size_t end = node + kNodes[static_cast<size_t>(height)];
        if (first_[end] > first_[node]) return true;
        if (!summed_early_) return false;
        return std::any_of(early_.begin() + static_cast<std::ptrdiff_t>(node),
                           early_.begin() + static_cast<std::ptrdiff_t>(end),
                           [](const Early& early) { return early.parts.size() > 0; });
    }

    // Duration of the longest slice that was noted at a node. Of a bin: of those that do not lie in it from end to end.
    int64_t longest(size_t node) const { return longest_[node]; }

    // Sums up the notes of a node, and puts one part for each name behind those of `out`.
    RollupSums sum(size_t node, RollupSummer<APart>& summer, PartBuffer<APart>& out, bool is_cut) {
        const Span<const APart> parts = parts_of(node);
        if (!summed_early_) return summer.sum(parts, out, is_cut);
        together_.clear();
        for (const APart& part : early_[node].parts.parts()) together_.add(part);
        int64_t longest = 0;
        for (const APart& part : parts) {
            together_.add(part);
            longest = std::max(longest, part.busy());
        }
        RollupSums sums = summer.sum(together_.parts(), out, is_cut);
        sums.longest = longest;
        return sums;
    }

    void clear() {
        size_ = 0;
        ends_.fill(0);
        longest_.fill(0);
        if (summed_early_) early_.clear();
        summed_early_ = false;
    }

  private:
    struct Note {
        int64_t busy;
        int32_t name;
        uint16_t node;
        uint16_t count;
    };

    // What is summed up of a node before its tile is whole: parts of names, summed up whenever they have doubled.
    struct Early {
        PartBuffer<APart> parts;
        size_t sum_at = kSumAt;
    };

    static constexpr size_t kSumAt = 1024;
    static constexpr size_t kAll = kNodes[kHeight];
    static constexpr size_t kNotesAtOnce = 1 << 17;
    static constexpr size_t kAtOnce = 256;  // slices

    // Numbers of nodes, those of bins first, then by height: from where on, and the number of each.
    static constexpr std::array<size_t, kHeight + 1> kHeights{0, 256, 320, 336, 340};
    static constexpr std::array<uint16_t, kAll> kNumbers = [] {
        std::array<uint16_t, kAll> numbers{};
        for (size_t height = 0; height <= kHeight; ++height) {
            for (size_t at = 0; at < size_t{1} << (2 * (kHeight - height)); ++at) {
                size_t number = 0;
                for (size_t above = kHeight; above-- > height;)
                    number += 1 + (at >> (2 * (above - height))) % 4 * kNodes[above];
                numbers[kHeights[height] + at] = static_cast<uint16_t>(number);
            }
        }
        return numbers;
    }();

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

    // Notes a slice at the `at`th node of a height. `count`: a bin counts the slices that start in it, another node those that
    // cover it.
    void add_note(size_t at, int height, int32_t name, int64_t busy, uint16_t count, int64_t duration) {
        const size_t node = number(at, height);
        make_room(1);
        notes_[size_++] = {busy, name, static_cast<uint16_t>(node), count};
        ++ends_[node + 1];
        longest_[node] = std::max(longest_[node], duration);
    }

    Span<const APart> parts_of(size_t node) const {
        return Span<const APart>(ordered_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

    // A counting sort.
    void order() {
        first_[0] = 0;
        for (size_t node = 1; node <= kAll; ++node) first_[node] = first_[node - 1] + ends_[node];
        std::array<uint32_t, kAll + 1> next = first_;
        if (ordered_.size() < size_) ordered_.resize(notes_.size());
        for (const Note& note : Span<const Note>(notes_).first(size_))
            ordered_[next[note.node]++] = APart(note.name, note.busy, note.count);
    }

    void make_room(size_t more) {
        if (notes_.size() - size_ >= more) return;
        if (size_ < kNotesAtOnce) notes_.resize(std::max<size_t>(1024, 2 * (size_ + more)));
        else sum_early();
    }

    // So that a tile takes as much memory as its nodes have names, however many slices it has.
    void sum_early() {
        order();
        early_.resize(kAll);
        for (size_t node = 0; node < kAll; ++node) {
            for (const APart& part : parts_of(node)) {
                add_early(early_[node], part);
                longest_[node] = std::max(longest_[node], part.busy());
            }
        }
        size_ = 0;
        ends_.fill(0);
    }

    void add_early(Early& early, const APart& part) {
        early.parts.add(part);
        if (early.parts.size() < early.sum_at) return;
        together_.clear();
        RollupSummer<APart>::of_thread().sum(early.parts.parts(), together_, true);
        std::swap(early.parts, together_);
        early.sum_at = std::max(kSumAt, 2 * early.parts.size());
    }

    int level_ = 0;
    size_t last_bin_ = 0;
    int64_t stop_ = 0;
    std::vector<Note> notes_;  // room for them
    size_t size_ = 0;
    std::array<uint16_t, kAtOnce> leaving_{};  // slices that end in another bin than they begin in
    std::vector<APart> ordered_;
    PartBuffer<APart> together_;
    std::array<uint32_t, kAll + 1> ends_{};  // how many notes each node has, one place behind it
    std::array<uint32_t, kAll + 1> first_{};  // where those of each begin
    std::array<int64_t, kAll> longest_{};
    std::vector<Early> early_;  // by node; empty in tiles of usual size
    bool summed_early_ = false;
};

}  // namespace tilescope
