// Busy times of a track over the whole run, in bins of one level: its part of the overview layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pyramid/geometry.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

struct OverviewBin {
    int64_t bin;  // counted from tick 0
    int32_t name;  // the dominant one
    uint8_t utilisation;  // 1 to 255
};

// The part of 255 that is busy, rounded up; at least 1, so that nothing is invisible.
uint8_t utilisation(int64_t busy, int64_t lanes, int64_t width);

// Finds for each bin in which a slice lies the row with the most busy time (of equal ones the lowest), and its dominant
// name. It is told of bins that BinCascade sums up anyway, and of what these leave out: slices that are at least two
// bins long. Rows come one after the other.
class TrackOverview {
  public:
    explicit TrackOverview(int level) : level_(level), width_(int64_t{1} << (2 * level)) {}

    int level() const { return level_; }

    // A long slice: `begin_long` before the bin is closed in which it starts, `end_long` after that.
    void begin_long(int64_t start, int32_t name) {
        const int64_t bin = bin_at(start, level_);
        add_edge(bin, Part(name, bin_start(bin + 1, level_) - start, 1));
    }
    void end_long(int64_t start, int64_t end, int32_t name) {
        const int64_t last = bin_at(end - 1, level_);
        offer_edges();
        cover(bin_at(start, level_) + 1, last, name);
        add_edge(last, Part(name, end - bin_start(last, level_), 0));
    }

    // All that is in a bin, but for long slices; `part_of(name)` is the part of a name.
    template <typename PartOf>
    void close(int64_t bin, int64_t busy, Part best, const PartOf& part_of) {
        if (edges_ != 0 && edge_bin_ != bin) offer_edges();
        for (size_t k = 0; k < edges_; ++k) {
            add_to(edge_[k], part_of(edge_[k].name));
            busy = add_busy(busy, edge_busy_[k]);
            if (dominates(edge_[k], best)) best = edge_[k];
        }
        edges_ = 0;
        offer(bin, busy, best.name);
    }

    void finish_row() {
        offer_edges();
        ++row_;
    }

    std::vector<OverviewBin> bins() const;

  private:
    struct Best {
        int64_t busy = 0;
        uint32_t row = 0;
        int32_t name = 0;
        bool any = false;
    };

    static void add_to(Part& part, const Part& other) {
        part.busy = add_busy(part.busy, other.busy);
        part.count += other.count;
    }

    void add_edge(int64_t bin, const Part& part);
    void offer_edges();
    void cover(int64_t first, int64_t last, int32_t name);
    void offer(int64_t bin, int64_t busy, int32_t name);
    int64_t next_open(int64_t bin);

    int level_;
    int64_t width_;
    uint32_t row_ = 0;
    // Parts of long slices in the bin that the row has come to: of one that ends there, and of one that starts there.
    int64_t edge_bin_ = 0;
    size_t edges_ = 0;
    Part edge_[2]{};
    int64_t edge_busy_[2]{};
    std::vector<Best> best_;  // by bin
    std::vector<int64_t> open_from_;  // of each bin: itself, or one behind it before which all are full
};

}  // namespace tilescope
