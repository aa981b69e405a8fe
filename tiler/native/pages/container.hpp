// Writes the column container of docs/page-format.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/span.hpp"
#include "pages/column_plan.hpp"

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

// Numbers that follow one another, of which there is at least one.
struct NumberRun {
    int64_t first;
    size_t n;
};

// Columns stay where they are until the container was written. Those that are empty are left out.
class ContainerWriter {
  public:
    ContainerWriter(const char magic[4], int level, uint32_t n_tiles, uint32_t block);

    // Differences between neighbours are stored, which fit into 64 bits: for values that grow.
    void delta(ColumnId id, Span<const int64_t> values);
    void delta(ColumnId id, Span<const uint8_t> values);
    void delta(ColumnId id, Span<const NumberRun> runs);
    // Values are stored relative to the smallest.
    void plain(ColumnId id, Span<const int64_t> values);
    void plain(ColumnId id, Span<const int32_t> values);
    void plain(ColumnId id, Span<const uint32_t> values);
    void plain(ColumnId id, Span<const uint8_t> values);
    void float64(ColumnId id, Span<const double> values);
    // In whichever of the two ways takes less room, without a scale: for records whose columns are of all kinds.
    void smaller(uint8_t id, Span<const int64_t> values);
    void smaller(uint8_t id, Span<const uint32_t> values);
    void smaller(uint8_t id, Span<const uint16_t> values);

    // As planned, by whoever knows the least and the greatest of what is stored.
    void planned(uint8_t id, const ColumnPlan& plan, Span<const int64_t> values);
    void planned(uint8_t id, const ColumnPlan& plan, Span<const uint32_t> values);

    // Size of the container so far, in bytes.
    size_t size() const { return size_; }
    // Writes so many bytes.
    void write(char* out) const;
    std::string finish() const;

  private:
    using Values = std::variant<Span<const int64_t>, Span<const int32_t>, Span<const uint32_t>, Span<const uint16_t>,
                                Span<const uint8_t>, Span<const double>, Span<const NumberRun>>;
    struct Column {
        uint8_t id;
        size_t n;
        ColumnPlan plan;
        Values values;
    };

    void add(uint8_t id, size_t n, const ColumnPlan& plan, const Values& values);

    std::array<char, 16> head_{};
    std::vector<Column> columns_;
    size_t size_;
};

}  // namespace tilescope
