#include "pyramid/leaf_starts.hpp"

#include <cstddef>

#include "pages/container.hpp"

namespace tilescope {

namespace {

constexpr int64_t kReachesIn = 1;  // in a slice's flags

// A column of the slices of a page, read tile after tile.
class SliceColumn {
  public:
    SliceColumn(const ContainerReader& page, ColumnId id, std::size_t n)
        : column_(page.find(static_cast<uint8_t>(id), n)) {}

    const std::vector<int64_t>& values(const LeafPage::Rows& rows) {
        values_.resize(rows.count);
        if (rows.count != 0) ContainerReader::decode(*column_, rows.first, values_, place_);
        return values_;
    }

  private:
    const ContainerReader::Column* column_;  // null: the page has no slices
    ContainerReader::Place place_;
    std::vector<int64_t> values_;
};

}  // namespace

LeafStarts leaf_starts(const ContainerReader& page, const std::vector<LeafPart>& leaves) {
    const LeafPage tiles(page);
    SliceColumn start(page, ColumnId::start, tiles.slice_count());
    SliceColumn ordinal(page, ColumnId::ordinal, tiles.slice_count());
    SliceColumn flags(page, ColumnId::slice_flags, tiles.slice_count());
    LeafStarts starts;
    for (const LeafPart& leaf : leaves) {
        const LeafPage::Rows rows = tiles.rows(leaf);
        const std::vector<int64_t>&start_of = start.values(rows), &ordinal_of = ordinal.values(rows),
              &flags_of = flags.values(rows);
        for (std::size_t k = 0; k < rows.count; ++k) {
            if ((flags_of[k] & kReachesIn) != 0) continue;
            starts.ordinal.push_back(ordinal_of[k]);
            starts.start.push_back(start_of[k]);
        }
    }
    return starts;
}

}  // namespace tilescope
