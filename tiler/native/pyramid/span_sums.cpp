#include "pyramid/span_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "pages/container.hpp"
#include "pyramid/duration_bucket.hpp"
#include "pyramid/geometry.hpp"
#include "pyramid/name_sweep.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

namespace {

std::vector<int64_t> column(const ContainerReader& record, ColumnId id, std::size_t n) {
    return record.values(static_cast<uint8_t>(id), n);
}

DamagedContainer damaged_histogram() { return DamagedContainer("a histogram is damaged"); }

// True if names in a histogram have no row of their own.
bool has_others(const ContainerReader& histogram) {
    const std::size_t n = histogram.tiles();
    const ContainerReader::Column* names = histogram.find(static_cast<uint8_t>(ColumnId::histogram_name), n);
    if (names == nullptr || n == 0) return false;
    int64_t last = 0;
    ContainerReader::decode(*names, n - 1, Span<int64_t>(&last, 1));
    return last == kOtherNames;
}

DamagedContainer damaged_buckets() { return DamagedContainer("the buckets of a histogram are damaged"); }

}  // namespace

void SpanSums::add_leaves(const ContainerReader& page, const std::vector<LeafPart>& parts, Span<const int32_t> as,
                          std::optional<Span<const int32_t>> names) {
    same_size(parts, as);
    LeafPage leaves(page);
    if (names) leaves.rename(*names);
    std::vector<int32_t> one_name;
    for (std::size_t part = 0; part < parts.size();) {
        const std::size_t tile = parts[part].tile;
        SliceColumns slices = leaves.slices(parts[part]);
        if (as[part] != kItsOwn) {
            one_name.assign(slices.size(), as[part]);
            slices.name = one_name;
        }
        NameSweep sweep(slices);
        int64_t now = 0;
        for (; part < parts.size() && parts[part].tile == tile; ++part) {
            if (parts[part].first < now || parts[part].stop < parts[part].first) {
                throw std::invalid_argument("parts of a tile are not in order");
            }
            sweep.add(now, parts[part].first, unasked_);
            sweep.add(parts[part].first, parts[part].stop, sums_);
            now = parts[part].stop;
        }
        unasked_.clear();
    }
}

// The shortest and the longest of each row are not among those of the record.
template <typename Put>
void SpanSums::each_bucket(const ContainerReader& buckets, Put put) const {
    const std::vector<int64_t> n = column(buckets, ColumnId::n_buckets, rows_.size());
    const ContainerReader::Column* counts = buckets.find(static_cast<uint8_t>(ColumnId::bucket_count));
    const std::vector<int64_t> of_each = column(buckets, ColumnId::bucket_count, counts == nullptr ? 0 : counts->n);
    const std::vector<int64_t> step = column(buckets, ColumnId::bucket_step, of_each.size());
    const DurationBuckets& all = DurationBuckets::all();
    std::size_t position = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const Row& row = rows_[k];
        uint64_t left = row.count;
        int64_t bucket = 0, last = 0;
        if (left > 0) {
            bucket = all.index_of(row.shortest);
            last = all.index_of(row.longest);
            put(row, static_cast<uint32_t>(bucket), 1);
            --left;
        }
        const bool has_more = left > 0;
        if (has_more) --left;
        for (int64_t j = 0; j < n[k]; ++j, ++position) {
            if (position == of_each.size() || step[position] < (j == 0 ? 0 : 1) || step[position] > last - bucket ||
                of_each[position] < 1 || static_cast<uint64_t>(of_each[position]) > left) {
                throw damaged_buckets();
            }
            bucket += step[position];
            left -= static_cast<uint64_t>(of_each[position]);
            put(row, static_cast<uint32_t>(bucket), static_cast<uint64_t>(of_each[position]));
        }
        if (has_more) put(row, static_cast<uint32_t>(last), 1);
        if (left != 0) throw damaged_buckets();
    }
    if (position != of_each.size()) throw damaged_buckets();
}

template <typename Take>
void SpanSums::each_row(const ContainerReader& histogram, Take take) {
    const std::size_t n = histogram.tiles();
    const std::vector<int64_t> name = column(histogram, ColumnId::histogram_name, n);
    const std::vector<int64_t> count = column(histogram, ColumnId::histogram_count, n);
    const std::vector<int64_t> busy = column(histogram, ColumnId::histogram_busy, n);
    const std::vector<int64_t> nested = column(histogram, ColumnId::busy_minus_self, n);
    const std::vector<int64_t> longest = column(histogram, ColumnId::longest, n);
    const std::vector<int64_t> outside = column(histogram, ColumnId::duration_minus_busy, n);
    const std::vector<int64_t> shorter = column(histogram, ColumnId::longest_minus_shortest, n);
    for (std::size_t k = 0; k < n; ++k) {
        const bool is_other = k + 1 == n && name[k] == kOtherNames;
        // Unsigned: damaged sums may wrap around.
        const uint64_t self = static_cast<uint64_t>(busy[k]) - static_cast<uint64_t>(nested[k]);
        const uint64_t lasted = static_cast<uint64_t>(busy[k]) + static_cast<uint64_t>(outside[k]);
        const uint64_t shortest = static_cast<uint64_t>(longest[k]) - static_cast<uint64_t>(shorter[k]);
        const bool is_sum = count[k] >= 0 && busy[k] >= 0 && self <= static_cast<uint64_t>(busy[k]);
        const bool is_duration =
            longest[k] >= 0 && shortest <= static_cast<uint64_t>(longest[k]) && longest[k] < kTimeLimit;
        if ((name[k] < -1 && !is_other) || name[k] > INT32_MAX || !is_sum || !is_duration || lasted >> 63 != 0) {
            throw damaged_histogram();
        }
        const auto name_id = static_cast<int32_t>(name[k]);
        take(NameSum{name_id, static_cast<uint64_t>(count[k]), static_cast<uint64_t>(busy[k]), self, lasted, longest[k],
                     static_cast<int64_t>(shortest)});
    }
}

bool SpanSums::add_stored(const ContainerReader& histogram, const std::optional<ContainerReader>& buckets, int32_t as) {
    if (as == kItsOwn && has_others(histogram)) return false;
    rows_.clear();
    NameSum together{as, 0, 0, 0, 0, 0, INT64_MAX};
    each_row(histogram, [&](NameSum row) {
        const int64_t shortest = row.shortest;
        if (row.count == 0) row.shortest = INT64_MAX;
        if (as == kItsOwn) sums_.at(row.name).add(row);
        else together.add(row);
        if (!buckets) return;
        const uint32_t number = as == kItsOwn ? sums_.number(row.name) : 0;
        rows_.push_back({number, row.count, shortest, row.longest});
    });
    if (as == kItsOwn) {
        if (buckets) {
            each_bucket(*buckets, [this](const Row& row, uint32_t bucket, uint64_t slices) {
                sums_.add_buckets(row.number, bucket, slices);
            });
        }
        return true;
    }
    if (histogram.tiles() > 0) sums_.at(as).add(together);
    if (!buckets) return true;
    // Most buckets occur in many rows: they are added up where each has its place.
    dense_.assign(DurationBuckets::all().size(), 0);
    each_bucket(*buckets, [this](const Row&, uint32_t bucket, uint64_t slices) { dense_[bucket] += slices; });
    for (uint32_t bucket = 0; bucket < dense_.size(); ++bucket) {
        if (dense_[bucket] != 0) sums_.add_buckets(sums_.number(as), bucket, dense_[bucket]);
    }
    return true;
}

void SpanSums::add_tracks(const ContainerReader& histogram, const std::optional<ContainerReader>& buckets,
                          Span<const int32_t> as) {
    rows_.clear();
    each_row(histogram, [&](NameSum row) {
        if (row.name < 0 || static_cast<std::size_t>(row.name) >= as.size()) throw damaged_histogram();
        const int32_t under = as[static_cast<std::size_t>(row.name)];
        const int64_t shortest = row.shortest;
        if (row.count == 0) row.shortest = INT64_MAX;
        if (under != kLeftOut) sums_.at(under).add(row);
        if (!buckets) return;
        const uint32_t number = under == kLeftOut ? kLeftOutRow : sums_.number(under);
        rows_.push_back({number, row.count, shortest, row.longest});
    });
    if (!buckets) return;
    each_bucket(*buckets, [this](const Row& row, uint32_t bucket, uint64_t slices) {
        if (row.number != kLeftOutRow) sums_.add_buckets(row.number, bucket, slices);
    });
}

BucketRows SpanSums::buckets() const {
    std::vector<uint32_t> rows(sums().size());
    std::iota(rows.begin(), rows.end(), 0U);
    return sums_.buckets().rows(rows, rows.size());
}

}  // namespace tilescope
