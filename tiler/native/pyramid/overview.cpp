#include "pyramid/overview.hpp"

#include <algorithm>

#include "pyramid/geometry.hpp"
#include "pyramid/name_table.hpp"

namespace tilescope {

uint8_t utilisation(int64_t busy, int64_t lanes, int64_t width) {
    __extension__ using Wide = unsigned __int128;
    const Wide capacity = static_cast<Wide>(lanes) * static_cast<Wide>(width);
    const Wide part = (static_cast<Wide>(busy) * 255 + capacity - 1) / capacity;
    return static_cast<uint8_t>(std::clamp<Wide>(part, 1, 255));
}

namespace {

class Overview {
  public:
    explicit Overview(int level) : level_(level) {}

    void add(int64_t start, int64_t duration, uint32_t row, int32_t name) {
        if (row >= rows_.size()) rows_.resize(row + 1);
        const int64_t end = start + duration;
        int64_t bin = bin_at(start, level_);
        const int64_t last = duration == 0 ? bin : bin_at(end - 1, level_);
        put(row, bin, name, std::min(end, bin_start(bin + 1, level_)) - start, 1);
        while (bin < last) {
            ++bin;
            put(row, bin, name, std::min(end, bin_start(bin + 1, level_)) - bin_start(bin, level_), 0);
        }
    }

    std::vector<OverviewBin> take() {
        for (uint32_t row = 0; row < rows_.size(); ++row) close(row);
        std::vector<OverviewBin> result;
        const int64_t width = int64_t{1} << (2 * level_);
        for (size_t bin = 0; bin < best_.size(); ++bin) {
            if (!best_[bin].any) continue;
            result.push_back({static_cast<int64_t>(bin), best_[bin].name, utilisation(best_[bin].busy, 1, width)});
        }
        return result;
    }

  private:
    struct Row {
        NameTable names;
        int64_t bin = -1;
        int64_t busy = 0;
    };
    struct Best {
        int64_t busy = 0;
        uint32_t row = 0;
        int32_t name = 0;
        bool any = false;
    };

    // Slices of a row come in time order and do not overlap, so a row has one open bin.
    void put(uint32_t row, int64_t bin, int32_t name, int64_t busy, uint64_t count) {
        Row& at = rows_[row];
        if (at.bin != bin) {
            close(row);
            at.bin = bin;
        }
        at.names.add(name, busy, count);
        at.busy += busy;
    }

    void close(uint32_t row) {
        Row& at = rows_[row];
        if (at.bin < 0) return;
        const size_t bin = static_cast<size_t>(at.bin);
        if (bin >= best_.size()) best_.resize(bin + 1);
        Best& best = best_[bin];
        if (!best.any || at.busy > best.busy || (at.busy == best.busy && row < best.row))
            best = {at.busy, row, at.names.dominant().name, true};
        at.names.clear();
        at.busy = 0;
        at.bin = -1;
    }

    int level_;
    std::vector<Row> rows_;
    std::vector<Best> best_;
};

}  // namespace

std::vector<OverviewBin> overview_of(const SliceColumns& slices, int level) {
    Overview overview(level);
    for (size_t k = 0; k < slices.n; ++k)
        overview.add(slices.start[k], slices.duration[k], slices.row[k], slices.name[k]);
    return overview.take();
}

}  // namespace tilescope
