// The tile tree of a counter: samples in leaves, exact summaries of bins above.
#pragma once

#include "base/span.hpp"
#include "pyramid/tiles.hpp"

namespace tilescope {

// Samples in the order (time, order in the file). Not owned. A value is in force until the next sample.
struct SampleColumns {
    Span<const int64_t> time;
    Span<const double> value;

    // Throws std::invalid_argument when they differ in length.
    SampleColumns(Span<const int64_t> times, Span<const double> values) : time(times), value(values) {
        same_size(time, value);
    }

    size_t size() const { return time.size(); }
};

class CounterTrack final : public TrackTiles {
  public:
    CounterTrack(const SampleColumns& samples, int root_level);

    const std::vector<Tile>& tiles() const override { return tiles_; }
    void append(const Tile& tile, PageColumns& page) const override;
    size_t weight(const Tile& tile) const override;

  private:
    void descend(int level, int64_t index, size_t first, size_t last);
    size_t count_bins(int level, size_t first, size_t last) const;
    void append_bins(const Tile& tile, PageColumns& page) const;

    SampleColumns samples_;
    std::vector<Tile> tiles_;
};

}  // namespace tilescope
