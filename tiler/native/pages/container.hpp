// Writes the column container of docs/page-format.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

enum class ColumnId : uint8_t {
    index = 0,
    slot,
    tile_flags,
    n_slices,
    n_bins,
    n_counter_bins,
    n_samples,
    carry,
    start = 16,
    duration,
    row,
    name,
    ordinal,
    slice_flags,
    bin = 32,
    bin_row,
    count,
    busy,
    bin_name,
    share,
    longest_minus_busy,
    busy_residual,
    counter_bin = 48,
    n,
    first,
    last,
    min,
    max,
    mean,
    time = 64,
    value,
    sample_ordinal,
    histogram_name = 112,
    histogram_count,
    histogram_busy,
    busy_minus_self,
    longest,
    duration_minus_busy,
    longest_minus_shortest,
    n_buckets = 176,
    bucket_step = 178,
    bucket_count,
};

// The greatest common divisor of all values, at least 1. Nanosecond traces in picosecond ticks have 1000 here, which saves
// ten bits a value. No value is negative.
uint64_t common_scale(const std::vector<uint64_t>& values);
uint64_t common_scale(const std::vector<int64_t>& values);

class ContainerWriter {
  public:
    ContainerWriter(const char magic[4], int level, uint32_t n_tiles, uint32_t block);

    // Differences between neighbours are stored: for values that grow.
    void delta(ColumnId id, const std::vector<int64_t>& values);
    // Values are stored relative to the smallest.
    void plain(ColumnId id, const std::vector<int64_t>& values);
    void float64(ColumnId id, const std::vector<double>& values);
    // In whichever of the two ways takes less room, without a scale: for records whose columns are of all kinds.
    void smaller(uint8_t id, Span<const int64_t> values);
    void smaller(uint8_t id, Span<const uint32_t> values);
    void smaller(uint8_t id, Span<const uint16_t> values);

    std::string finish() const;

  private:
    template <typename T, typename Raw>
    void store_smaller(uint8_t id, Span<const T> values, std::vector<Raw>& raw);
    template <typename Raw>
    void store(ColumnId id, uint8_t flags, int64_t base, uint64_t scale, const std::vector<Raw>& raw);

    std::string head_;
    std::string headers_;
    std::string bodies_;
    uint16_t columns_ = 0;
    std::vector<uint64_t> scratch_;
};

}  // namespace tilescope
