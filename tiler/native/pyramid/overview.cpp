#include "pyramid/overview.hpp"

#include <algorithm>

#include "pyramid/by_row.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/part_list.hpp"

namespace tilescope {

uint8_t utilisation(int64_t busy, int64_t lanes, int64_t width) {
    __extension__ using Wide = unsigned __int128;
    const Wide capacity = static_cast<Wide>(lanes) * static_cast<Wide>(width);
    const Wide part = (static_cast<Wide>(busy) * 255 + capacity - 1) / capacity;
    return static_cast<uint8_t>(std::clamp<Wide>(part, 1, 255));
}

namespace {

// The busiest row of each bin, so far.
class BusiestRows {
  public:
    explicit BusiestRows(int level) : width_(int64_t{1} << (2 * level)) {}

    void offer(int64_t bin, int64_t busy, uint32_t row, int32_t name) {
        Best& best = at(bin);
        if (!best.any || busy > best.busy || (busy == best.busy && row < best.row)) best = {busy, row, name, true};
    }

    // A slice of the row covers the bins [first, last). To be told row by row: once a row fills a bin, none below it can be
    // chosen, so bins that are full are passed over together.
    void cover(int64_t first, int64_t last, uint32_t row, int32_t name) {
        for (int64_t bin = next_open(first); bin < last; bin = next_open(bin + 1)) {
            offer(bin, width_, row, name);
            open_from_[static_cast<size_t>(bin)] = bin + 1;
        }
    }

    std::vector<OverviewBin> bins() const {
        std::vector<OverviewBin> result;
        for (size_t bin = 0; bin < best_.size(); ++bin) {
            if (!best_[bin].any) continue;
            result.push_back({static_cast<int64_t>(bin), best_[bin].name, utilisation(best_[bin].busy, 1, width_)});
        }
        return result;
    }

  private:
    struct Best {
        int64_t busy = 0;
        uint32_t row = 0;
        int32_t name = 0;
        bool any = false;
    };

    Best& at(int64_t bin) {
        if (static_cast<size_t>(bin) >= best_.size()) best_.resize(static_cast<size_t>(bin) + 1);
        return best_[static_cast<size_t>(bin)];
    }

    // The first bin from this one on that no row has filled.
    int64_t next_open(int64_t bin) {
        while (static_cast<size_t>(bin) >= open_from_.size())
            open_from_.push_back(static_cast<int64_t>(open_from_.size()));
        int64_t& here = open_from_[static_cast<size_t>(bin)];
        while (static_cast<size_t>(here) < open_from_.size() && open_from_[static_cast<size_t>(here)] != here)
            here = open_from_[static_cast<size_t>(here)];
        return here;
    }

    int64_t width_;
    std::vector<Best> best_;
    std::vector<int64_t> open_from_;  // of each bin: itself, or one behind it before which all are full
};

// A row's slices come in time order and do not overlap, so it has one open bin.
class Row {
  public:
    void put(uint32_t row, int64_t bin, int32_t name, int64_t busy, uint64_t count, BusiestRows& rows) {
        if (bin_ != bin) {
            close(row, rows);
            bin_ = bin;
        }
        names_.add(name, busy, count);
        busy_ += busy;
    }

    void close(uint32_t row, BusiestRows& rows) {
        if (bin_ < 0) return;
        rows.offer(bin_, busy_, row, names_.sum(PartPlaces::of_thread()).best.name);
        names_.clear();
        busy_ = 0;
        bin_ = -1;
    }

  private:
    PartList names_;
    int64_t bin_ = -1;
    int64_t busy_ = 0;
};

// Rows beyond which they are gone through one after the other, instead of side by side: a row that is open takes 100 bytes.
constexpr uint32_t kRowsSideBySide = 1024;

// Where a slice lies: the first and the last bin, and its busy time in them.
struct Extent {
    Extent(int64_t start, int64_t end, int level)
        : first(bin_at(start, level)),
          last(end == start ? first : bin_at(end - 1, level)),
          in_first(std::min(end, bin_start(first + 1, level)) - start),
          in_last(end - bin_start(last, level)) {}

    int64_t first;
    int64_t last;
    int64_t in_first;
    int64_t in_last;  // where that is not the first
};

void sum_side_by_side(const SliceColumns& slices, int level, uint32_t rows, BusiestRows& busiest) {
    const int64_t width = int64_t{1} << (2 * level);
    std::vector<Row> open(rows);
    for (size_t k = 0; k < slices.size(); ++k) {
        const Extent at(slices.start[k], slices.end(k), level);
        const uint32_t row = slices.row[k];
        open[row].put(row, at.first, slices.name[k], at.in_first, 1, busiest);
        for (int64_t bin = at.first + 1; bin <= at.last; ++bin)
            open[row].put(row, bin, slices.name[k], bin == at.last ? at.in_last : width, 0, busiest);
    }
    for (uint32_t row = 0; row < rows; ++row) open[row].close(row, busiest);
}

void sum_row_by_row(const SliceColumns& slices, int level, uint32_t rows, BusiestRows& busiest, MemoryBudget* budget) {
    const ByRow by_row(slices, rows, budget);
    Row open;
    for (uint32_t row = 0; row < rows; ++row) {
        for (const uint32_t k : by_row.slices_of(row)) {
            const Extent at(slices.start[k], slices.end(k), level);
            open.put(row, at.first, slices.name[k], at.in_first, 1, busiest);
            if (at.first == at.last) continue;
            busiest.cover(at.first + 1, at.last, row, slices.name[k]);
            open.put(row, at.last, slices.name[k], at.in_last, 0, busiest);
        }
        open.close(row, busiest);
    }
}

}  // namespace

std::vector<OverviewBin> overview_of(const SliceColumns& slices, int level, MemoryBudget* budget) {
    uint32_t rows = 0;
    for (size_t k = 0; k < slices.size(); ++k) rows = std::max(rows, slices.row[k] + 1);
    BusiestRows busiest(level);
    if (rows <= kRowsSideBySide) sum_side_by_side(slices, level, rows, busiest);
    else sum_row_by_row(slices, level, rows, busiest, budget);
    return busiest.bins();
}

}  // namespace tilescope
