// Sums per name of a span: of stored histograms, and of parts of leaves where its borders cut tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pages/container_reader.hpp"
#include "pyramid/leaf_page.hpp"
#include "pyramid/name_sums.hpp"

namespace tilescope {

// The name to pass where slices are summed up under their own.
constexpr int32_t kItsOwn = -3;

class SpanSums {
  public:
    // With `buckets` those of durations, too.
    explicit SpanSums(bool buckets) : sums_(buckets) {}

    // `parts`: by tile, and by time within one; all parts of a tile under one name, or under their own, for which `names`
    // may stand, one for each slice of the page. Throws DamagedContainer where the page is not one of slices.
    void add_leaves(const ContainerReader& page, const std::vector<LeafPart>& parts, Span<const int32_t> as,
                    std::optional<Span<const int32_t>> names = std::nullopt);
    // A stored histogram, with its buckets where these are counted. Returns false, and adds nothing, when names in it have
    // no rows of their own and would need them. Throws DamagedContainer.
    bool add_stored(const ContainerReader& histogram, const std::optional<ContainerReader>& buckets, int32_t as);
    // The stored sums of the tracks of a block, each under the name that `as` has for its slot, or not at all (kLeftOut). Throws
    // DamagedContainer.
    void add_tracks(const ContainerReader& histogram, const std::optional<ContainerReader>& buckets,
                    Span<const int32_t> as);
    void add(const SpanSums& other) { sums_.add(other.sums_); }

    // By name, in no order.
    const std::vector<NameSum>& sums() const { return sums_.sums(); }
    // In the order of the sums.
    BucketRows buckets() const;
    void clear() { sums_.clear(); }

  private:
    struct Row {
        uint32_t number;  // of the name that it is summed up under; kLeftOutRow
        uint64_t count;
        int64_t shortest;
        int64_t longest;
    };

    static constexpr uint32_t kLeftOutRow = UINT32_MAX;

    // Calls `take(name, sum)` for all rows, whose names may be wrong; all else is as it can be. The shortest of none is as stored.
    template <typename Take>
    static void each_row(const ContainerReader& histogram, Take take);
    // Calls `put(row, bucket, slices)` for all buckets of the rows.
    template <typename Put>
    void each_bucket(const ContainerReader& buckets, Put put) const;

    NameSums sums_;
    NameSums unasked_;            // of what lies between the parts
    std::vector<Row> rows_;       // of the histogram that is being added
    std::vector<uint64_t> dense_;  // by bucket, of rows that are summed up under one name
};

}  // namespace tilescope
