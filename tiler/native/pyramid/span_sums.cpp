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

DamagedContainer damaged_buckets() { return DamagedContainer("the buckets of a histogram are damaged"); }

}  // namespace

void SpanSums::add_leaves(const ContainerReader& page, const std::vector<LeafPart>& parts, Span<const int32_t> as,
                          std::optional<Span<const int32_t>> names) {
    same_size(parts, as);
    LeafPage leaves(page);
    if (names) leaves.rename(*names);
    std::vector<int32_t> one_name;
    for (std::size_t at = 0; at < parts.size();) {
        const std::size_t tile = parts[at].tile;
        SliceColumns slices = leaves.slices(parts[at]);
        if (as[at] != kItsOwn) {
            one_name.assign(slices.size(), as[at]);
            slices.name = one_name;
        }
        NameSweep sweep(slices);
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

bool SpanSums::add_stored(const ContainerReader& histogram, const std::optional<ContainerReader>& buckets, int32_t as) {
    const std::size_t n = histogram.tiles();
    const std::vector<int64_t> name = column(histogram, ColumnId::histogram_name, n);
    const std::vector<int64_t> count = column(histogram, ColumnId::histogram_count, n);
    const std::vector<int64_t> busy = column(histogram, ColumnId::histogram_busy, n);
    const std::vector<int64_t> nested = column(histogram, ColumnId::busy_minus_self, n);
    const std::vector<int64_t> longest = column(histogram, ColumnId::longest, n);
    const std::vector<int64_t> outside = column(histogram, ColumnId::duration_minus_busy, n);
    const std::vector<int64_t> shorter = column(histogram, ColumnId::longest_minus_shortest, n);
    if (as == kItsOwn && n > 0 && name.back() == kOtherNames) return false;
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
            throw DamagedContainer("a histogram is damaged");
        }
        const int32_t under = as == kItsOwn ? static_cast<int32_t>(name[k]) : as;
        sums_.at(under).add({under, static_cast<uint64_t>(count[k]), static_cast<uint64_t>(busy[k]), self, lasted,
                             longest[k], count[k] == 0 ? INT64_MAX : static_cast<int64_t>(shortest)});
    }
    if (buckets) add_buckets(*buckets, name, count, as);
    return true;
}

void SpanSums::add_buckets(const ContainerReader& buckets, const std::vector<int64_t>& name,
                           const std::vector<int64_t>& count, int32_t as) {
    const std::vector<int64_t> n = column(buckets, ColumnId::n_buckets, name.size());
    const std::vector<int64_t> first = column(buckets, ColumnId::first_bucket, name.size());
    const ContainerReader::Column* counts = buckets.find(static_cast<uint8_t>(ColumnId::bucket_count));
    const std::vector<int64_t> of_each = column(buckets, ColumnId::bucket_count, counts == nullptr ? 0 : counts->n);
    const ContainerReader::Column* steps = buckets.find(static_cast<uint8_t>(ColumnId::bucket_step));
    const std::vector<int64_t> step = column(buckets, ColumnId::bucket_step, steps == nullptr ? 0 : steps->n);
    const int64_t most = DurationBuckets::all().size();
    std::size_t at = 0, at_step = 0;
    for (std::size_t k = 0; k < name.size(); ++k) {
        const int32_t under = as == kItsOwn ? static_cast<int32_t>(name[k]) : as;
        const uint32_t number = sums_.number(under);
        int64_t left = count[k], bucket = first[k];
        for (int64_t j = 0; j < n[k]; ++j) {
            if (j > 0) {
                if (at_step == step.size() || step[at_step] < 1 || step[at_step] >= most) throw damaged_buckets();
                bucket += step[at_step++];
            }
            if (at == of_each.size() || bucket < 0 || bucket >= most || of_each[at] < 1 || of_each[at] > left) {
                throw damaged_buckets();
            }
            left -= of_each[at];
            sums_.add_buckets(number, static_cast<uint32_t>(bucket), static_cast<uint64_t>(of_each[at++]));
        }
        if (left != 0) throw damaged_buckets();
    }
    if (at != of_each.size() || at_step != step.size()) throw damaged_buckets();
}

BucketRows SpanSums::buckets() const {
    std::vector<uint32_t> rows(sums().size());
    std::iota(rows.begin(), rows.end(), 0U);
    return sums_.buckets().rows(rows, rows.size());
}

}  // namespace tilescope
