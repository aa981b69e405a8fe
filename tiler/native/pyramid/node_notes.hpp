// What slices leave in a terminal tile of a rollup: notes at the nodes of the tree whose leaves are the tile's bins.
//
// Notes are put down as they come, and brought into the order of nodes once, when the tile is whole: most nodes have few.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/part_list.hpp"

namespace tilescope {

class NodeNotes {
  public:
    // The tree's root is so many levels above bins.
    static constexpr int kHeight = 4;

    // Nodes of a subtree of each height. Those of the tile are numbered from the root on, each before its children.
    static constexpr std::array<size_t, kHeight + 1> kNodes{1, 5, 21, 85, 341};

    // The number of the `at`th node of a height.
    static size_t number(size_t at, int height) { return kNumbers[kHeights[static_cast<size_t>(height)] + at]; }

    // Notes a slice at a node. `counts`: a bin counts the slices that start in it, another node those that cover it.
    void add(size_t node, int32_t name, int64_t busy, bool counts, int64_t duration) {
        if (size_ == notes_.size()) make_room();
        Note& note = notes_[size_++];
        note.busy = busy;
        note.name = name;
        note.node = static_cast<uint16_t>(node);
        note.count = counts ? 1 : 0;
        ++ends_[node + 1];
        longest_[node] = std::max(longest_[node], duration);
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
                           [](const PartList& list) { return !list.parts().empty(); });
    }

    // Duration of the longest slice that was noted at the node.
    int64_t longest(size_t node) const { return longest_[node]; }

    // Sums up the notes of a node, and appends one part for each name.
    template <typename Better>
    PartSums sum(size_t node, PartPlaces& places, std::vector<Part>& parts, const Better& better) {
        const Span<const Note> notes = notes_of(node);
        const size_t first = parts.size();
        if (summed_early_) {
            const std::vector<Part>& early = early_[node].parts();
            parts.insert(parts.end(), early.begin(), early.end());
            for (const Note& note : notes) parts.emplace_back(note.name, note.busy, note.count);
            return places.sum_by_name(parts, first, better);
        }
        parts.resize(first + notes.size());
        const PartSums sums = places.sum_by_name(notes, parts.data() + first, better);
        parts.resize(first + sums.names);
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

    static constexpr size_t kAll = kNodes[kHeight];
    static constexpr size_t kNotesAtOnce = 1 << 17;

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

    Span<const Note> notes_of(size_t node) const {
        return Span<const Note>(ordered_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

    // A counting sort.
    void order() {
        first_[0] = 0;
        for (size_t node = 1; node <= kAll; ++node) first_[node] = first_[node - 1] + ends_[node];
        std::array<uint32_t, kAll + 1> next = first_;
        ordered_.resize(notes_.size());
        for (const Note& note : Span<const Note>(notes_).first(size_)) ordered_[next[note.node]++] = note;
    }

    void make_room() {
        if (size_ < kNotesAtOnce) notes_.resize(std::max<size_t>(1024, 2 * size_));
        else sum_early();
    }

    // So that a tile takes as much memory as its nodes have names, however many slices it has.
    void sum_early() {
        order();
        early_.resize(kAll);
        for (size_t node = 0; node < kAll; ++node)
            for (const Note& note : notes_of(node)) early_[node].add(note.name, note.busy, note.count);
        size_ = 0;
        ends_.fill(0);
    }

    std::vector<Note> notes_;  // room for them
    size_t size_ = 0;
    std::vector<Note> ordered_;
    std::array<uint32_t, kAll + 1> ends_{};  // how many notes each node has, one place behind it
    std::array<uint32_t, kAll + 1> first_{};  // where those of each begin
    std::array<int64_t, kAll> longest_{};
    std::vector<PartList> early_;  // by node; empty in tiles of usual size
    bool summed_early_ = false;
};

}  // namespace tilescope
