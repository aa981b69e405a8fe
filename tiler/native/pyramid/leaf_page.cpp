#include "pyramid/leaf_page.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "pages/container.hpp"
#include "pyramid/geometry.hpp"

namespace tilescope {

namespace {

std::vector<int64_t> column(const ContainerReader& page, ColumnId id, std::size_t n) {
    return page.values(static_cast<uint8_t>(id), n);
}

// Returns where the slices of each tile end.
std::vector<std::size_t> ends_of(const ContainerReader& page) {
    const std::vector<int64_t> counts = column(page, ColumnId::n_slices, page.tiles());
    std::vector<std::size_t> ends;
    ends.reserve(counts.size());  // there are as many tiles: a damaged number may be any
    std::size_t rows = 0;
    const ContainerReader::Column* slices = page.find(static_cast<uint8_t>(ColumnId::start));
    const std::size_t n = slices == nullptr ? 0 : slices->n;
    for (const int64_t count : counts) {
        if (count < 0 || static_cast<std::size_t>(count) > n - rows) {
            throw DamagedContainer("column n_slices of a page is damaged");
        }
        rows += static_cast<std::size_t>(count);
        ends.push_back(rows);
    }
    if (rows != n) throw DamagedContainer("column n_slices of a page is damaged");
    return ends;
}

}  // namespace

LeafPage::LeafPage(const ContainerReader& page) : ends_(ends_of(page)) {
    const std::size_t n = slice_count();
    index_ = column(page, ColumnId::index, page.tiles());
    slot_ = column(page, ColumnId::slot, page.tiles());
    starts_ = page.find(static_cast<uint8_t>(ColumnId::start), n);
    durations_ = page.find(static_cast<uint8_t>(ColumnId::duration), n);
    names_ = page.find(static_cast<uint8_t>(ColumnId::name), n);
}

void LeafPage::rename(Span<const int32_t> names) {
    if (names.size() != slice_count()) throw std::invalid_argument("each slice of a page needs a name");
    new_names_ = names;
    is_renamed_ = true;
}

LeafPage::Rows LeafPage::rows(const LeafPart& part) const {
    if (part.tile >= ends_.size() || index_[part.tile] != part.index || slot_[part.tile] != part.slot) {
        throw DamagedContainer("a tile is not on its page");
    }
    const std::size_t first = part.tile == 0 ? 0 : ends_[part.tile - 1];
    return {first, ends_[part.tile] - first};
}

SliceColumns LeafPage::slices(const LeafPart& part) {
    const auto [first, count] = rows(part);
    start_.resize(count);
    duration_.resize(count);
    name_.resize(count);
    wide_.resize(count);
    if (count != 0 && starts_ != nullptr && durations_ != nullptr && names_ != nullptr) {
        ContainerReader::decode(*starts_, first, start_, start_place_);
        ContainerReader::decode(*durations_, first, duration_);
        if (!is_renamed_) ContainerReader::decode(*names_, first, wide_);
    }
    for (std::size_t k = 0; k < count; ++k) {
        const bool in_time = start_[k] >= 0 && start_[k] < kTimeLimit && (k == 0 || start_[k] >= start_[k - 1]);
        if (!in_time || duration_[k] < 0 || duration_[k] >= kTimeLimit - start_[k]) {
            throw DamagedContainer("slices of a page are not in the order of time");
        }
        if (is_renamed_) continue;
        if (wide_[k] < -1 || wide_[k] > INT32_MAX) throw DamagedContainer("column name of a page is damaged");
        name_[k] = static_cast<int32_t>(wide_[k]);
    }
    const Span<const int32_t> name = is_renamed_ ? new_names_.subspan(first, count) : Span<const int32_t>(name_);
    const SliceColumns all = {Span<const int64_t>(start_), Span<const int64_t>(duration_), name};
    return is_renamed_ ? without_those_left_out(all) : all;
}

SliceColumns LeafPage::without_those_left_out(const SliceColumns& all) {
    if (std::find(all.name.begin(), all.name.end(), kLeftOut) == all.name.end()) return all;
    kept_start_.clear();
    kept_duration_.clear();
    kept_name_.clear();
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (all.name[k] == kLeftOut) continue;
        kept_start_.push_back(all.start[k]);
        kept_duration_.push_back(all.duration[k]);
        kept_name_.push_back(all.name[k]);
    }
    return {Span<const int64_t>(kept_start_), Span<const int64_t>(kept_duration_), Span<const int32_t>(kept_name_)};
}

}  // namespace tilescope
