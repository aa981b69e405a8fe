#include "pyramid/leaf_sums.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

#include "pages/container.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

namespace {

std::vector<int64_t> column(const ContainerReader& page, ColumnId id, std::size_t n) {
    const ContainerReader::Column* found = page.find(static_cast<uint8_t>(id));
    const std::size_t there = found == nullptr ? 0 : found->n;
    if (there != n) {
        throw DamagedContainer("column " + std::to_string(static_cast<int>(id)) + " of a page has " +
                               std::to_string(there) + " values, not " + std::to_string(n));
    }
    return found == nullptr ? std::vector<int64_t>() : ContainerReader::decode(*found);
}

// Where the slices of each tile end.
std::vector<std::size_t> ends_of(const ContainerReader& page) {
    std::vector<std::size_t> ends;
    ends.reserve(page.tiles());
    std::size_t rows = 0;
    const ContainerReader::Column* slices = page.find(static_cast<uint8_t>(ColumnId::start));
    const std::size_t n = slices == nullptr ? 0 : slices->n;
    for (const int64_t count : column(page, ColumnId::n_slices, page.tiles())) {
        if (count < 0 || static_cast<std::size_t>(count) > n - rows) {
            throw DamagedContainer("column n_slices of a page is damaged");
        }
        rows += static_cast<std::size_t>(count);
        ends.push_back(rows);
    }
    if (rows != n) throw DamagedContainer("column n_slices of a page is damaged");
    return ends;
}

// Slices as they stand in a tile, or nothing that could be summed up.
void check(const int64_t* start, const int64_t* duration, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
        const bool in_time = start[k] >= 0 && start[k] < kTimeLimit && (k == 0 || start[k] >= start[k - 1]);
        if (!in_time || duration[k] < 0 || duration[k] >= kTimeLimit - start[k]) {
            throw DamagedContainer("slices of a page are not in the order of time");
        }
    }
}

}  // namespace

void LeafSums::add(const ContainerReader& page, const std::vector<LeafPart>& parts) {
    const std::vector<std::size_t> ends = ends_of(page);
    const std::size_t n = ends.empty() ? 0 : ends.back();
    const std::vector<int64_t> index = column(page, ColumnId::index, page.tiles());
    const std::vector<int64_t> slot = column(page, ColumnId::slot, page.tiles());
    const std::vector<int64_t> start = column(page, ColumnId::start, n);
    const std::vector<int64_t> duration = column(page, ColumnId::duration, n);
    const std::vector<int64_t> wide = column(page, ColumnId::name, n);
    std::vector<int32_t> name(n);
    for (std::size_t k = 0; k < n; ++k) {
        if (wide[k] < -1 || wide[k] > INT32_MAX) throw DamagedContainer("column name of a page is damaged");
        name[k] = static_cast<int32_t>(wide[k]);
    }
    for (std::size_t at = 0; at < parts.size();) {
        const std::size_t tile = parts[at].tile;
        if (tile >= ends.size() || index[tile] != parts[at].index || slot[tile] != parts[at].slot) {
            throw DamagedContainer("a tile is not on its page");
        }
        const std::size_t from = tile == 0 ? 0 : ends[tile - 1];
        const std::size_t rows = ends[tile] - from;
        check(start.data() + from, duration.data() + from, rows);
        NameSweep sweep({start.data() + from, duration.data() + from, nullptr, name.data() + from, nullptr, rows});
        int64_t now = 0;
        for (; at < parts.size() && parts[at].tile == tile; ++at) {
            if (parts[at].first < now || parts[at].stop < parts[at].first) {
                throw std::invalid_argument("parts of a tile are not in order");
            }
            sweep.add(now, parts[at].first, unasked_);
            sweep.add(parts[at].first, parts[at].stop, sums_);
            now = parts[at].stop;
        }
        unasked_.clear();
    }
}

}  // namespace tilescope
