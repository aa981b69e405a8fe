// Launches and the work of devices that has their number. The rules stand in tiler/indexing/flows/correlation.py; its tests
// hold a plain-Python reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/span.hpp"
#include "columns/column.hpp"
#include "columns/flow_states.hpp"
#include "columns/numbered_slices.hpp"
#include "columns/partner_codes.hpp"

namespace tilescope {

// Work of a track and its launches, as they are stored.
struct StoredLaunches {
    Column<std::int64_t> ordinal;  // of the work
    Column<std::int64_t> code;  // of its launch, see partner_codes.hpp
    PartnerTracks launching;
    std::uint64_t most_rise = 0;  // from one ordinal to the next
};

// Ends of pairs on one track, at the starts of its slices. Of directions and partners' tracks there is one value where it is
// that of all ends.
struct LaunchEnds {
    bool is_of_all = false;  // each slice has one: `tick` is empty, as it would be their starts
    Column<std::int64_t> tick;
    Column<std::int8_t> incoming;
    Column<std::int32_t> partner;
};

class LaunchJoin {
  public:
    // Slices of all tracks: they are numbered in 31 bits.
    static constexpr std::size_t kMostSlices = (std::size_t{1} << 31) - 1;

    struct Counts {
        std::int64_t pairs = 0;
        std::int64_t ambiguous = 0;  // work whose number several launches have
        std::int64_t crowded = 0;  // work whose number more of it has than a launch may have
        std::int64_t calls_without_work = 0;
        std::int64_t work_without_launch = 0;
        bool has_room = true;  // false: nothing was joined
    };
    struct Sides {
        std::int64_t leaving = 0, arriving = 0;
    };

    // Tracks ascend. A launch has up to `most_work`; of work that no flow joins there may be `most` where there are launches.
    // For more than `kMostSlices` there is no room. Memory: 4 bytes for each slice, and one where there are flows; 4 for each
    // number from the least to the greatest of works where these lie close together (up to 8 for each work), else 12 for each
    // number of works and 8 for each work; 4 more for each work of launches that have several, and 16 for each such launch. Of
    // these the numbers' and the flows' are freed once all is joined.
    // Throws std::invalid_argument for columns that differ in length, and for edges between ends that there are not.
    LaunchJoin(std::vector<NumberedSlices> tracks, const FileFlows& flows, std::size_t most_work, std::size_t most);

    const Counts& counts() const { return counts_; }
    // Pairs of the track at this place of the list.
    Sides sides(std::size_t place) const { return sides_.at(place); }
    // The launches of work from `row` on, up to `most`. Returns the row that is next.
    std::size_t read(std::size_t place, std::size_t row, std::size_t most, StoredLaunches& out) const;
    // All ends of a track, whose slices start at these ticks.
    LaunchEnds ends(std::size_t place, Span<const std::int64_t> start) const;

  private:
    // Global rows number the slices of all tracks, one after the other.
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr auto kMany = static_cast<std::uint32_t>(kMostSlices + 1);  // in `partners_`: a place in `many_`
    static constexpr int kBlockBits = 12;  // of rows

    struct Many {
        std::size_t first = 0;
        std::uint32_t size = 0;
    };
    class Numbers;

    void join(const FlowStates& states, std::size_t most_work, std::size_t most);
    void join_work(Numbers& numbers, const FlowStates& states);
    void share_launches(Numbers& numbers, const FlowStates& states, std::size_t most_work);
    void count_calls(Numbers& numbers, const FlowStates& states);
    std::size_t track_of(std::uint32_t row) const {
        std::size_t track = block_tracks_[row >> kBlockBits];
        while (row >= first_[track + 1]) ++track;
        return track;
    }
    // Partners of rows that follow one another mostly lie on one track: nothing is looked up for them.
    bool is_on(std::size_t track, std::uint32_t row) const {
        return row - first_[track] < first_[track + 1] - first_[track];
    }
    Span<const std::uint32_t> partners(std::size_t place, std::size_t row) const;
    void add_sides(std::size_t work_place, std::size_t call_place, std::int64_t pairs);
    // Calls with the row of each partner that slices of a track have, and the row of the slice in its track.
    template <typename Call>
    void each_end(std::size_t place, const Call& call) const {
        for (std::size_t row = 0; row < tracks_[place].key.size(); ++row) {
            for (const std::uint32_t partner : partners(place, row)) call(partner, row);
        }
    }

    std::vector<NumberedSlices> tracks_;
    std::vector<std::size_t> calls_;  // of each track's slices
    std::vector<std::uint32_t> first_;  // global row of each track's first slice, and of what is behind the last
    std::vector<std::uint32_t> block_tracks_;  // the track of every 4,096th row
    std::vector<std::vector<std::uint32_t>>
        partners_;  // by place and row; of each track its own: freed memory has room for them
    std::vector<Many> many_;
    std::vector<std::uint32_t> many_works_;
    std::vector<Sides> sides_;
    // By place, that of all its partners; kNone: there is none yet, kMany: there are several.
    std::vector<std::uint32_t> partner_places_;
    Counts counts_;
};

}  // namespace tilescope
