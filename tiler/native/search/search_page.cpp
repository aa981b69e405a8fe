#include "search/search_page.hpp"

#include <algorithm>
#include <string>

namespace tilescope {

namespace {

constexpr int64_t kTimesEnd = int64_t{1} << 61;  // as tiler/ticks.py has it

}  // namespace

SearchPage::SearchPage(Span<const uint8_t> data, std::size_t max_rows, SearchRoom& room,
                       Span<const SearchedLeaf> leaves)
    : page_(data, max_rows), room_(room) {
    const ContainerReader::Column* slices = page_.find(static_cast<uint8_t>(ColumnId::start));
    slices_ = slices == nullptr ? 0 : slices->n;
    std::size_t end = 0;
    // Only so many tiles as there are values: what the header of a damaged page says may be billions.
    const std::size_t tiles = page_.tiles();
    decode(ColumnId::n_slices, tiles, {0, tiles}, room.count);
    room.ends.clear();
    room.ends.reserve(room.count.size());
    for (const int64_t count : room.count) {
        if (count < 0 || static_cast<std::size_t>(count) > slices_ - end) {
            throw DamagedContainer("column n_slices of a page is damaged");
        }
        end += static_cast<std::size_t>(count);
        room.ends.push_back(end);
    }
    if (end != slices_) throw DamagedContainer("column n_slices of a page is damaged");
    decode(ColumnId::index, tiles, {0, tiles}, room.index);
    decode(ColumnId::slot, tiles, {0, tiles}, room.slot);
    first_ = slices_;
    for (const SearchedLeaf& leaf : leaves) {
        const Rows rows = on_page(leaf);
        first_ = std::min(first_, rows.first);
        last_ = std::max(last_, rows.last);
    }
    if (first_ > last_) first_ = last_;
    decode(ColumnId::name, slices_, {first_, last_}, room.name);
}

SearchPage::Rows SearchPage::on_page(const SearchedLeaf& leaf) const {
    const std::vector<std::size_t>& ends = room_.ends;
    if (leaf.tile >= ends.size() || room_.index[leaf.tile] != leaf.index || room_.slot[leaf.tile] != leaf.slot) {
        throw DamagedContainer("a tile is not on its page");
    }
    return {leaf.tile == 0 ? 0 : ends[leaf.tile - 1], ends[leaf.tile]};
}

void SearchPage::check(Rows rows) {
    const Span<const int64_t> start = starts(), duration = durations();
    constexpr auto end = static_cast<uint64_t>(kTimesEnd);
    bool is_damaged = false;
    uint64_t last = 0;
    for (std::size_t k = rows.first; k < rows.last; ++k) {  // without branches; what is negative is very large
        const auto from = static_cast<uint64_t>(start[k]), lasting = static_cast<uint64_t>(duration[k]);
        is_damaged |= (from < last) | (from >= end) | (lasting >= end - from);
        last = from;
    }
    if (is_damaged) throw DamagedContainer("slices of a page are not in the order of time");
}

void SearchPage::decode(ColumnId id, std::size_t n, Rows rows, std::vector<int64_t>& into) const {
    const ContainerReader::Column* column = page_.find(static_cast<uint8_t>(id), n);
    into.resize(rows.last - rows.first);
    if (column != nullptr) ContainerReader::decode(*column, rows.first, into);
}

}  // namespace tilescope
