// Launches and the work of devices that has their number. The rules stand in tiler/indexing/flows/correlation.py; its tests
// hold a plain-Python reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// The slices of a track that have a number, in the order of ordinals; the columns are the caller's.
struct NumberedSlices {
    std::int64_t track = 0;
    Span<const std::int64_t> ordinal;  // empty: all slices from the first on
    Span<const std::int64_t> key;  // as trace_event/correlation.hpp has it
    Span<const std::uint8_t> state;  // kFlowJoins and kFlowPairs; empty: 0 everywhere

    std::int64_t ordinal_at(std::size_t row) const {
        return ordinal.empty() ? static_cast<std::int64_t>(row) : ordinal[row];
    }
};

// A flow of the file leads from a launch to it, or from it to work with a number.
constexpr std::uint8_t kFlowJoins = 1;
// A flow joins it to the other side, whatever that has.
constexpr std::uint8_t kFlowPairs = 2;

// Pairs seen from one track, in the order (ordinal, partner's track, its ordinal).
struct LaunchRows {
    std::vector<std::int64_t> ordinal, partner_track, partner_ordinal, incoming;
};

// Ends of pairs on one track, at the starts of its slices.
struct LaunchEnds {
    std::vector<std::int64_t> tick;
    std::vector<std::int8_t> incoming;
    std::vector<std::int32_t> partner;
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
    // For more than `kMostSlices` there is no room. Memory: 4 bytes for each slice, 12 for each number from the least to the
    // greatest of works where these lie close together (up to 24 for each work), else 12 for each number of works and 8 for
    // each work; 4 more for each work of launches that have several, and 16 for each such launch. Of these the numbers' are
    // freed once all is joined.
    // Throws std::invalid_argument for columns that differ in length.
    LaunchJoin(std::vector<NumberedSlices> tracks, std::size_t most_work, std::size_t most);

    const Counts& counts() const { return counts_; }
    // Pairs of the track at this place of the list.
    Sides sides(std::size_t place) const { return sides_.at(place); }
    // Appends pairs of the slices from `row` on, whole slices, up to `most` pairs or one slice. Returns the row that is next.
    std::size_t read(std::size_t place, std::size_t row, std::size_t most, LaunchRows& out) const;
    // All ends of a track, whose slices start at these ticks.
    LaunchEnds ends(std::size_t place, Span<const std::int64_t> start) const;

  private:
    // Global rows number the slices of all tracks, one after the other.
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kSeveral = kNone - 1;
    static constexpr auto kMany = static_cast<std::uint32_t>(kMostSlices + 1);  // in `partner_`: a place in `many_`

    struct Slot {  // of a number
        std::uint32_t works = 0;
        std::uint32_t call = kNone;  // the only launch
        std::uint32_t many = kNone;  // its place in `many_`
    };
    struct Many {
        std::size_t first = 0;
        std::uint32_t size = 0;
    };
    class Slots;

    void join(std::size_t most_work, std::size_t most);
    void join_work(Slots& slots, std::size_t most_work);
    std::size_t track_of(std::uint32_t row, std::size_t guess) const;
    Span<const std::uint32_t> partners(std::size_t place, std::size_t row) const;

    std::vector<NumberedSlices> tracks_;
    std::vector<std::uint32_t> first_;  // global row of each track's first slice, and of what is behind the last
    std::vector<std::uint32_t> partner_;
    std::vector<Many> many_;
    std::vector<std::uint32_t> many_works_;
    std::vector<Sides> sides_;
    Counts counts_;
};

}  // namespace tilescope
