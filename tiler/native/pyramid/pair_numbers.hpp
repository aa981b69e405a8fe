// Numbers for pairs of a name and a track, so that one table holds what each track has of each name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/span.hpp"
#include "pyramid/local_names.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

// Numbers of pairs of a track and a name. Those of a track ascend by name and lie side by side, as it is gone through
// by itself. Tracks that nobody asks for one by one share theirs, which are the last. There may be some that no slice
// has.
class PairNumbers {
  public:
    // `wanted`: tracks, as bits, that are to have pairs of their own: one at least, and others as long as there are fewer than
    // `most` pairs. `names`, of all tracks, must stay where they are.
    PairNumbers(const std::vector<SliceColumns>& tracks, const LocalNames& names, uint32_t wanted, std::size_t most);

    // Tracks that have pairs of their own, as bits.
    uint32_t apart() const { return apart_; }

    // Numbers of the pairs of one track.
    class OfTrack {
      public:
        OfTrack(const LocalNames& names, const uint32_t* numbers, uint32_t first)
            : names_(&names), numbers_(numbers), first_(first) {}

        // The number of a name that one of its slices has.
        uint32_t number(int32_t name) const { return numbers_[names_->number(name) - first_]; }

      private:
        const LocalNames* names_;
        const uint32_t* numbers_;  // by the number of the name, from the first that the track has
        uint32_t first_;
    };

    OfTrack of_track(std::size_t track) const;
    // Pairs of a track that is apart: [first, stop).
    uint32_t first(std::size_t track) const { return groups_[group_of_[track]].first_pair; }
    uint32_t stop(std::size_t track) const { return groups_[group_of_[track]].stop_pair; }

    std::size_t size() const { return names_of_.size(); }
    // By pair: the name.
    Span<const int32_t> names() const { return names_of_; }
    // By pair: its place among all, when they are ordered by name.
    Span<const uint32_t> by_name() const { return by_name_; }

  private:
    // Tracks whose pairs are the same.
    struct Group {
        uint32_t first_name = 0;
        std::vector<uint32_t> numbers;  // by name, from the first
        uint32_t first_pair = 0, stop_pair = 0;
    };

    void number_names(const std::vector<SliceColumns>& tracks, std::size_t number);
    void order_by_name();

    const LocalNames* names_;
    uint32_t apart_ = 0;
    std::vector<uint8_t> group_of_;  // by track
    std::vector<Group> groups_;      // that of those that share theirs comes first
    std::vector<int32_t> names_of_;
    std::vector<uint32_t> by_name_;
};

}  // namespace tilescope
