// A page with its residual, held against the shape record, and read tile by tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prove_container.hpp"
#include "prove_tree.hpp"

namespace tilescope {

constexpr int64_t kProveReachesIn = 1;

struct ProveSlice {
    int64_t start, duration, row, name, ordinal, flags;
    int64_t end() const { return start + duration; }
};

// Of a page: bin is 0 to 255. Of an expectation, too.
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

struct ProveTile {
    std::vector<ProveSlice> slices;
    std::vector<ProveBin> bins;
    std::vector<ProveCounterBin> counter_bins;
    std::vector<ProveSample> samples;
    double carry = 0;
};

// What Python reads for the proof: inflated.
struct ProvePageBytes {
    std::string page;
    std::string residual;
    bool has_residual = false;
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
    ProveColumn slice_[6], bin_[6], residual_[2], counter_bin_[7], sample_[3];
    std::vector<int64_t> values_;
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
