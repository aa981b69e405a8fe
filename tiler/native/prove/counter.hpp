// A counter track: its samples, and every bin above them, in one pass over the leaves.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "prove/page.hpp"

namespace tilescope {

class ProveCounter {
  public:
    // `overview_level`: of the bins whose greatest values are kept.
    ProveCounter(const ProveTree& tree, int root_level, int overview_level, int64_t end)
        : tree_(tree), root_(root_level), overview_level_(overview_level), end_(end) {}

    void enter(std::size_t tile);
    // A leaf or an interior tile, when all that is below it was left. Throws WrongTile.
    void leave(std::size_t tile, const ProveTile& stored);

    struct Peak {
        int64_t bin;
        double value;
    };

    int64_t samples() const { return samples_; }
    int64_t bins() const { return bins_; }
    const std::vector<Peak>& peaks() const { return peaks_; }
    double least() const { return least_; }
    double greatest() const { return greatest_; }

  private:
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    struct Bin {
        int64_t bin;    // from tick 0 on
        int64_t begun;  // from when on a value is in force in it
        int64_t n;
        double before;  // the value before its first sample, or that sample
        double first, last, min, max, weighted;
    };
    struct Level {
        double carry = kNone;
        std::vector<Bin> bins;  // of the tile that was entered; the last may go on
    };

    void sample(std::size_t tile, const ProveSample& stored);
    void close(Level& level, int z) const;
    static void check_bin(std::size_t tile, const ProveCounterBin& stored, const Bin& expected, int z);

    const ProveTree& tree_;
    int root_, overview_level_;
    int64_t end_;
    std::array<Level, kProveLevels> levels_;
    int64_t samples_ = 0, bins_ = 0;
    int64_t last_time_ = 0;
    double value_ = kNone;  // in force
    double least_ = kNone, greatest_ = kNone;
    std::vector<Peak> peaks_;
};

}  // namespace tilescope
