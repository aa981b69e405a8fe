// A rollup: each of its bins from the events of its tracks, batch by batch in time.
//
// A slice adds parts to the two bins in which it begins and ends. The bins that it covers from end to end, at each level,
// are one span: they are counted by name when the bins are gone through in order. So a slice costs the same however many
// bins it runs through, and a bin the same however many slices run through it. Slices of one name that run through the same
// ticks of a batch are added as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "prove/overview.hpp"
#include "prove/parts.hpp"
#include "prove/tree.hpp"

namespace tilescope {

// Slices that cover the bin at hand: how many of each name, the name with the most of them, the longest.
class ProveCover {
  public:
    struct Stretch {
        int64_t first, stop;  // bins
        int64_t name, duration;
        int64_t slices;  // as many as they are; `duration`: of the longest
    };

    // `most_counted`: of how many slices of a name the busy time is cut, so that more of them are as many.
    ProveCover(ProveVector<Stretch>& spans, int64_t most_counted);

    // Goes on to a later bin. False: nothing covers it.
    bool go_to(int64_t bin);

    int64_t slices() const { return slices_; }
    int64_t slices_of(int64_t name) const;
    // The name with the most slices that count, of equal ones the lowest, and their number; slices without a name where
    // no other covers.
    std::pair<int64_t, int64_t> most() const {
        if (most_.empty()) return {std::min(slices_of(-1), most_counted_), -1};
        return {most_[0].slices, most_[0].name};
    }
    int64_t longest() const { return spans_[longest_[0]].duration; }

  private:
    struct Most {
        int64_t slices, name;
        bool operator<(const Most& other) const {
            return slices != other.slices ? slices < other.slices : name > other.name;
        }
    };
    void change(int64_t name, int64_t by);

    const ProveVector<Stretch>& spans_;
    int64_t most_counted_;
    std::size_t next_ = 0;
    ProveVector<uint32_t> ending_;  // heap: the next to end on top
    ProveVector<uint32_t> longest_;  // heap: the longest on top; may hold what has ended below it
    ProveVector<Most> most_;  // heap, likewise
    std::unordered_map<int64_t, int64_t> of_name_;
    int64_t slices_ = 0;
};

class ProveRollup {
  public:
    // `track`: its number, for errors. `places`: memory that rollups take turns with, see `merge_parts_of_names`.
    ProveRollup(const ProveTree& tree, std::size_t slot, std::size_t track, int root_level, int overview_level,
                std::vector<std::size_t>& places, ProveMemory& memory);

    // Ticks [first, stop) of a slice, in this batch. `count`: 1 where it starts in it. Throws WrongTrack where no tile is.
    void add(int64_t first, int64_t stop, int64_t name, int64_t duration, int64_t count);

    // Memory that ending the batch takes at most, for a while, in bytes.
    std::size_t bytes_to_complete() const;

    // Adds some ticks at which slices of the batch begin and end, so that it can be divided where there are many.
    void sample_edges(std::vector<int64_t>& ticks) const;

    // Forgets the batch.
    void discard();

    // Ends the batch: all that starts before `until` has been added, and nothing beyond it.
    void complete_until(int64_t until);

    // Compares a tile that ends until then. Throws WrongTile.
    void check(std::size_t tile, const ProveTile& stored);

    const std::vector<ProveEntry>& overview() const { return overview_; }

  private:
    struct Terminal {
        int64_t start, stop;
        int level;
        std::size_t run;  // of tiles without gaps between them
    };
    // Ticks of slices of one name that do not lie within one bin of the tile in which they begin.
    struct Long {
        int64_t first, stop;
        int64_t duration;  // of the longest
        int64_t slices, count;  // how many there are, and how many of them begin in the batch
        int32_t name;
        uint8_t left_level, right_level;  // of the terminal tiles in which they begin and end
        uint8_t lowest_level;  // of those between
    };
    struct Level {
        explicit Level(ProveMemory& memory) : parts(memory), open(memory), done(memory) {}
        std::vector<int64_t> tiles;  // indices, ascending
        std::size_t next_tile = 0;  // the first that is not complete
        ProveParts parts;  // of the batch
        std::size_t merged = 0;
        ProveParts open;  // of the bin in which the last batch ended
        ProveVector<ProveBin> done;  // complete, not compared
        std::size_t compared = 0;
    };

    const Terminal& terminal(int64_t tick, int64_t first, int64_t stop);
    Level& at(int level) { return levels_[static_cast<std::size_t>(level - lowest_)]; }
    void merge_longs();
    void add_part(int level, int64_t bin, int64_t name, int64_t busy, int64_t count, int64_t duration);
    void add_edges(int z, const Long& slice);
    void add_rest(int z, const Long& slice);
    ProveVector<ProveCover::Stretch> spans_of(int z);
    void sum_bins(int z, int64_t until, const ProveParts& parts, ProveVector<ProveCover::Stretch>& spans);
    static ProveBin bin_of(Span<const ProvePart> parts, int64_t bin, int64_t width, const ProveCover* cover);

    const ProveTree& tree_;
    std::size_t track_;
    std::vector<std::size_t>& places_;
    int root_, overview_level_, lowest_;
    std::vector<Terminal> terminals_;
    std::size_t hint_ = 0;
    ProveVector<Long> longs_;  // of the batch
    std::size_t merged_longs_ = 0;
    std::vector<Level> levels_;  // from lowest_ on
    std::vector<ProveEntry> overview_;
};

}  // namespace tilescope
