#include "pyramid/pair_rows.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

void PairRows::begin(const NameRows& rows) {
    rows_ = &rows;
    first_.clear();
    first_.reserve(rows.rows.size() + 1);
    uint32_t next = 0;
    for (const NameRow& row : rows.rows) {
        first_.push_back(next);
        next += row.n_buckets;
    }
    first_.push_back(next);
}

RowsView PairRows::together() {
    const NameRows& rows = *rows_;
    const Span<const uint32_t> by_name = pairs_->by_name();
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
        const uint32_t place = by_name[rows.rows[k].number];
        row_at_[place] = static_cast<uint32_t>(k);
        used_[place / 64] |= uint64_t{1} << place % 64;
    }
    together_.rows.clear();
    together_.rows.reserve(rows.rows.size());
    together_.buckets.resize(rows.buckets.size());
    BucketCount* out = together_.buckets.data();
    const Span<const int32_t> names = pairs_->names();
    // Most names are of one track, whose buckets stay as they are.
    NameRow* sum = nullptr;
    int32_t name = 0;
    Span<const BucketCount> only;
    bool is_only = true;
    const auto end_row = [&] {
        if (is_only) {
            out = std::copy(only.begin(), only.end(), out);
            return;
        }
        BucketCount* const stop = merge_.take(out);
        sum->n_buckets = static_cast<uint32_t>(stop - out);
        out = stop;
    };
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = std::exchange(used_[word], 0); left != 0; left &= left - 1) {
            const uint32_t k = row_at_[64 * word + static_cast<std::size_t>(__builtin_ctzll(left))];
            const NameRow& row = rows.rows[k];
            const Span<const BucketCount> buckets(rows.buckets.data() + first_[k], row.n_buckets);
            if (sum == nullptr || names[row.number] != name) {
                end_row();
                name = names[row.number];
                sum = &together_.rows.emplace_back(row);
                only = buckets;
                is_only = true;
                continue;
            }
            sum->add(row);
            if (is_only) merge_.add(only);
            is_only = false;
            merge_.add(buckets);
        }
    }
    end_row();
    together_.buckets.resize(static_cast<std::size_t>(out - together_.buckets.data()));
    return {together_.rows, together_.buckets};
}

RowsView PairRows::own(std::size_t track) const {
    const std::vector<NameRow>& rows = rows_->rows;
    const auto place_of = [&rows](uint32_t number) {
        const auto match = std::lower_bound(rows.begin(), rows.end(), number,
                                            [](const NameRow& row, uint32_t least) { return row.number < least; });
        return static_cast<std::size_t>(match - rows.begin());
    };
    const std::size_t first = place_of(pairs_->first(track)), stop = place_of(pairs_->stop(track));
    return {Span<const NameRow>(rows).subspan(first, stop - first),
            Span<const BucketCount>(rows_->buckets).subspan(first_[first], first_[stop] - first_[first])};
}

}  // namespace tilescope
