// A page with its residual, held against the shape record, and read tile by tile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "prove/container.hpp"
#include "prove/series.hpp"
#include "prove/tree.hpp"

namespace tilescope {

constexpr int64_t kProveReachesIn = 1;

struct ProveSlice {
    int64_t start, duration, row, name, ordinal, flags;
    int64_t end() const { return start + duration; }
};

// A bin of a page, where its number is 0 to 255, or of an expectation.
struct ProveBin {
    int64_t row, bin, count, busy, name, share, longest;
};

struct ProveCounterBin {
    int64_t bin, n;
    double first, last, min, max, mean;
};

struct ProveSample {
    int64_t time, ordinal;
    double value;
};

using ProveSliceColumns = std::array<ProveColumn, 6>;
using ProveBinColumns = std::array<ProveColumn, 8>;  // the last two of the residual
using ProveCounterBinColumns = std::array<ProveColumn, 7>;
using ProveSampleColumns = std::array<ProveColumn, 3>;

void read_items(ProveSliceColumns& columns, std::vector<ProveSlice>& out);
void read_items(ProveBinColumns& columns, std::vector<ProveBin>& out);
void read_items(ProveCounterBinColumns& columns, std::vector<ProveCounterBin>& out);
void read_items(ProveSampleColumns& columns, std::vector<ProveSample>& out);

using ProveSliceSeries = ProveSeries<ProveSlice, 6>;
using ProveBinSeries = ProveSeries<ProveBin, 8>;

// To be looked at while its page is in memory.
struct ProveTile {
    ProveSliceSeries slices;
    ProveBinSeries bins;
    ProveSeries<ProveCounterBin, 7> counter_bins;
    ProveSeries<ProveSample, 3> samples;
    double carry = 0;
};

// Bytes that Python reads for the proof: inflated.
struct ProvePageBytes {
    Bytes page;
    Bytes residual;
    bool has_residual = false;
    std::shared_ptr<const void> owner;
};

class ProvePage {
  public:
    // Throws WrongTile.
    ProvePage(const ProveTree& tree, std::size_t number, ProvePageBytes bytes);

    std::size_t number() const { return number_; }

    // Reads the tile in this position of the block, which comes after those that were read before. Throws WrongTile.
    void read(std::size_t tile, ProveTile& out);

  private:
    void begin();
    void check_rounding();
    void read_counts(const ProveContainer& page);
    void read_next(ProveTile& out);
    void check_order(const ProveTile& tile) const;

    const ProveTree& tree_;
    std::size_t number_, first_;
    ProvePageBytes bytes_;
    unsigned level_ = 0;
    std::size_t next_ = 0;  // of the page's tiles
    std::vector<int64_t> n_slices_, n_bins_, n_counter_bins_, n_samples_, carry_;
    ProveSliceColumns slice_;
    ProveBinColumns bin_;
    ProveCounterBinColumns counter_bin_;
    ProveSampleColumns sample_;
};

// Reads the pages of a block, one of each level at a time.
class ProvePages {
  public:
    // Reads a page, by its number.
    using Fetch = std::function<ProvePageBytes(std::size_t page)>;

    ProvePages(const ProveTree& tree, Fetch fetch) : tree_(tree), fetch_(std::move(fetch)) {}

    // A tile; of one level they must be asked for in ascending order of position.
    void read(std::size_t tile, ProveTile& out);

    // Forgets what it has in memory.
    void release();

  private:
    const ProveTree& tree_;
    Fetch fetch_;
    std::array<std::unique_ptr<ProvePage>, kProveLevels> pages_;
};

}  // namespace tilescope
