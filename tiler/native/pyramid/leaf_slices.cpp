#include "pyramid/leaf_slices.hpp"

#include <algorithm>
#include <cstddef>

#include "pages/container.hpp"

namespace tilescope {

namespace {

constexpr int64_t kReachesIn = 1;  // in a slice's flags

// A column of the slices of a page, read tile after tile.
class SliceColumn {
  public:
    SliceColumn(const ContainerReader& page, uint8_t id, std::size_t n) : column_(page.find(id, n)) {}

    // Puts the values of a tile behind those that are there.
    void append(const LeafPage::Rows& rows, std::vector<int64_t>& values) {
        if (rows.count == 0) return;
        const std::size_t before = values.size();
        values.resize(before + rows.count);
        ContainerReader::decode(*column_, rows.first, Span<int64_t>(values).subspan(before, rows.count), place_);
    }

  private:
    const ContainerReader::Column* column_;  // null: the page has no slices
    ContainerReader::Place place_;
};

// Leaves out the last values of a column whose slices reach in.
void remove_reaching(const std::vector<int64_t>& flags, std::vector<int64_t>& values) {
    std::size_t kept = values.size() - flags.size();
    const std::size_t first = kept;
    for (std::size_t k = 0; k < flags.size(); ++k) {
        if ((flags[k] & kReachesIn) == 0) values[kept++] = values[first + k];
    }
    values.resize(kept);
}

}  // namespace

LeafSlices leaf_slices(const ContainerReader& page, const std::vector<LeafPart>& leaves, Span<const uint8_t> ids,
                       bool reaching) {
    const LeafPage tiles(page);
    std::vector<SliceColumn> columns;
    columns.reserve(ids.size());
    for (const uint8_t id : ids) columns.emplace_back(page, id, tiles.slice_count());
    SliceColumn flags(page, static_cast<uint8_t>(ColumnId::slice_flags), tiles.slice_count());
    LeafSlices slices;
    slices.columns.resize(ids.size());
    slices.count.reserve(leaves.size());
    std::vector<int64_t> flags_of_leaf;
    for (const LeafPart& leaf : leaves) {
        const LeafPage::Rows rows = tiles.rows(leaf);
        for (std::size_t k = 0; k < columns.size(); ++k) columns[k].append(rows, slices.columns[k]);
        std::size_t count = rows.count;
        if (!reaching) {
            flags_of_leaf.clear();
            flags.append(rows, flags_of_leaf);
            count -= static_cast<std::size_t>(std::count_if(flags_of_leaf.begin(), flags_of_leaf.end(),
                                                            [](int64_t value) { return (value & kReachesIn) != 0; }));
            if (count != rows.count) {
                for (std::vector<int64_t>& values : slices.columns) remove_reaching(flags_of_leaf, values);
            }
        }
        slices.count.push_back(static_cast<int64_t>(count));
    }
    return slices;
}

}  // namespace tilescope
