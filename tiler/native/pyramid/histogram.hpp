// Sums per name of tiles: how often, how long, how long in itself, the longest.
#pragma once

#include <deque>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "pyramid/bucket_counts.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

// Of ticks: slices side by side may last longer in total than 64 bits can say. Sums of parts may wrap on their way.
__extension__ using TickSum = unsigned __int128;

// Of the slices of one name in a span of time.
struct NameSum {
    int32_t name;
    uint64_t count;   // that start in the span
    TickSum busy;     // ticks of the span, each slice by itself
    TickSum self;     // ticks of the span at which a slice of the name is the last started of those that run
    // Durations, not clipped, of those that start in the span: of all together, of the longest, of the shortest.
    TickSum duration;
    int64_t longest;
    int64_t shortest;  // INT64_MAX: none starts there

    // What is known of others, in this or another span.
    void add(const NameSum& other);
};

// A hash table by name that keeps its memory when it is emptied.
class NameSums {
  public:
    // With `buckets` it counts them as well.
    explicit NameSums(bool buckets = false) : has_buckets_(buckets) {}

    NameSum& at(int32_t name);
    // A slice that starts in the span: its count and its durations. Returns the sums of its name.
    NameSum& add_start(int32_t name, int64_t duration);
    // The number of a name, for its buckets.
    uint32_t number(int32_t name) {
        at(name);
        return static_cast<uint32_t>(last_);
    }
    void add_buckets(uint32_t number, uint32_t bucket, uint64_t count) { buckets_.add(number, bucket, count); }
    void add(const NameSums& other);
    void clear();
    const std::vector<NameSum>& sums() const { return sums_; }
    const BucketCounts& buckets() const { return buckets_; }

  private:
    void enter_all(size_t size);
    size_t place(int32_t name) const;

    bool has_buckets_;
    std::vector<NameSum> sums_;
    BucketCounts buckets_;         // names by their position in sums_
    std::vector<uint32_t> slots_;  // position in sums_ + 1; 0: empty
    size_t last_ = 0;              // what was asked for last is often asked for again
};

// Goes over a track's slices once, in spans of time that follow each other without gaps.
class NameSweep {
  public:
    // What is open at once is taken from `budget`: ShortOfBudget.
    explicit NameSweep(const SliceColumns& slices, MemoryBudget* budget = nullptr)
        : slices_(slices), crossing_({}, CountedVector<Running>(budget)), stack_(budget) {}

    // Adds the sums of [start, stop), which begins where the last span ended.
    void add(int64_t start, int64_t stop, NameSums& sums);

  private:
    struct Running {
        int64_t end;
        int32_t name;
        bool operator<(const Running& other) const { return end > other.end; }  // a queue's top is the next to end
    };

    void pass_to(int64_t time, NameSums& sums);

    SliceColumns slices_;
    size_t next_ = 0;
    std::priority_queue<Running, CountedVector<Running>>
        crossing_;  // slices that run beyond the span in which they start
    std::unordered_map<int32_t, uint64_t> crossing_names_;
    // Those that have self time now or later, the last started on top. A slice that ends no later than one above it
    // never comes on top again and is not kept, so ends decrease upwards.
    CountedVector<Running> stack_;
    int64_t now_ = 0;
};

struct HistogramTile {
    int64_t index;
    uint8_t level;
    uint32_t leaf_of;  // tracks, as bits: none of its children is wanted of them
};

// Of a tile: its sums, and of each the buckets of its durations.
struct HistogramRows {
    std::vector<NameSum> sums;
    BucketRows buckets;
};

// The histograms of tiles, one after the other, children before parents: of some tracks together, or of one. Memory: the
// tables of one tile per level.
class HistogramWalk {
  public:
    static constexpr std::size_t kTracks = 32;

    // `tiles`: in the order (start, higher level first). The first contains all others, and each that is not the first
    // has its parent among them. Throws std::invalid_argument when they are not so, or there are more than kTracks.
    HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                  MemoryBudget* budget = nullptr);

    // Goes on to the next tile; false: there is none.
    bool next();

    const HistogramTile& tile() const { return open_[depth_].tile; }
    // Its sums: most busy first, then by name. At most `rows`, and then one of all others, whose name is `kOtherNames`.
    // What tracks have in the tile is not in it where a tile above is a leaf of theirs.
    HistogramRows rows(size_t rows) const;
    // How many these are, and how many slices start in the tile.
    size_t rows_of_tile(size_t rows) const;
    uint64_t events() const;

    static constexpr int32_t kOtherNames = -2;

  private:
    struct Open {
        HistogramTile tile{};
        uint32_t tracks = 0;  // those that it counts
        int next_child = 0;
        NameSums sums{true};
    };

    void open(const HistogramTile& tile, uint32_t tracks);
    void sweep(uint32_t tracks, int64_t start, int64_t stop, NameSums& sums);
    bool is_next(int level, int64_t index) const;

    std::deque<NameSweep> sweeps_;  // of each track
    std::vector<HistogramTile> tiles_;
    size_t at_ = 0;
    std::vector<Open> open_;  // the first depth_ are in work, and that at depth_ is the tile that was finished last
    size_t depth_ = 0;
};

}  // namespace tilescope
