#include "search/search_page.hpp"

#include <string>

namespace tilescope {

namespace {

constexpr int64_t kTimesEnd = int64_t{1} << 61;  // as tiler/ticks.py has it

}  // namespace

SearchPage::SearchPage(Span<const uint8_t> data, std::size_t max_rows) : page_(data, max_rows) {
    const ContainerReader::Column* slices = page_.find(static_cast<uint8_t>(ColumnId::start));
    const std::size_t n = slices == nullptr ? 0 : slices->n;
    std::size_t end = 0;
    // Only so many tiles as there are values: what the header of a damaged page says may be billions.
    const std::vector<int64_t> counts = values(ColumnId::n_slices, page_.tiles());
    ends_.reserve(counts.size());
    for (const int64_t count : counts) {
        if (count < 0 || static_cast<std::size_t>(count) > n - end) {
            throw DamagedContainer("column n_slices of a page is damaged");
        }
        end += static_cast<std::size_t>(count);
        ends_.push_back(end);
    }
    if (end != n) throw DamagedContainer("column n_slices of a page is damaged");
    index_ = values(ColumnId::index, page_.tiles());
    slot_ = values(ColumnId::slot, page_.tiles());
    name_ = values(ColumnId::name, n);
}

SearchPage::Rows SearchPage::rows(const SearchedLeaf& leaf) const {
    if (leaf.tile >= ends_.size() || index_[leaf.tile] != leaf.index || slot_[leaf.tile] != leaf.slot) {
        throw DamagedContainer("a tile is not on its page");
    }
    return {leaf.tile == 0 ? 0 : ends_[leaf.tile - 1], ends_[leaf.tile]};
}

const std::vector<int64_t>& SearchPage::starts() { return column(ColumnId::start, start_); }

const std::vector<int64_t>& SearchPage::durations() { return column(ColumnId::duration, duration_); }

void SearchPage::check(Rows rows) {
    const std::vector<int64_t>& start = starts();
    const std::vector<int64_t>& duration = durations();
    for (std::size_t k = rows.first; k < rows.last; ++k) {
        const bool in_time = start[k] >= 0 && start[k] < kTimesEnd && (k == rows.first || start[k] >= start[k - 1]);
        if (!in_time || duration[k] < 0 || duration[k] >= kTimesEnd - start[k]) {
            throw DamagedContainer("slices of a page are not in the order of time");
        }
    }
}

const std::vector<int64_t>& SearchPage::column(ColumnId id, std::optional<std::vector<int64_t>>& kept) const {
    if (!kept) kept = values(id, name_.size());
    return *kept;
}

std::vector<int64_t> SearchPage::values(ColumnId id, std::size_t n) const {
    return page_.values(static_cast<uint8_t>(id), n);
}

}  // namespace tilescope
