#include "pyramid/slice_sums.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

// So many parts of one tile are merged at once.
constexpr std::size_t kAside = 8;

// Durations that stand as they came: so many of each name, within limits. With half or twice as many at most, blocks of 2.5 M
// slices with 40,000 names took 3 to 20 % more processor time (AMD EPYC, 2026-11-25).
constexpr std::size_t kEach = 64;
constexpr std::size_t kLeastRoom = std::size_t{1} << 15;
constexpr std::size_t kMostRoom = std::size_t{1} << 18;

}  // namespace

SliceSums::SliceSums(const LocalNames& names, std::size_t slices)
    : names_(&names),
      buckets_of_(&DurationBuckets::all()),
      rows_(names.size()),
      places_(names.size(), 0),
      are_used_(names.size() / kTogether + 1, 0),
      room_(std::min(slices, std::clamp(kEach * names.size(), kLeastRoom, kMostRoom))),
      started_(new Started[room_]),
      by_bucket_(new Started[room_]),
      by_name_(new uint16_t[room_ + 1]),
      next_started_(started_.get()),
      started_end_(next_started_ + room_) {}

NameRows SliceSums::empty_rows() {
    if (spare_.empty()) return {};
    NameRows rows = std::move(spare_.back());
    spare_.pop_back();
    rows.rows.clear();
    rows.buckets.clear();
    return rows;
}

void SliceSums::set_aside() {
    if (std::none_of(are_used_.begin(), are_used_.end(), [](uint32_t used) { return used != 0; })) return;
    aside_.push_back(put_in_order());
    if (aside_.size() < kAside) return;
    NameRows sums = empty_rows();
    merge(aside_, sums);
    for (NameRows& part : aside_) reuse(std::move(part));
    aside_.clear();
    aside_.push_back(std::move(sums));
}

void SliceSums::take(std::vector<NameRows>& parts) {
    set_aside();
    for (NameRows& part : aside_) parts.push_back(std::move(part));
    aside_.clear();
}

// Without a change of order among those of one bucket.
void SliceSums::sort_by_bucket() {
    std::array<uint32_t, std::size_t{1} << BucketCount::kBits> next{};
    for (const Started* slice = started_.get(); slice != next_started_; ++slice) ++next[slice->bucket()];
    uint32_t before = 0;
    for (uint32_t& count : next) before += std::exchange(count, before);
    Started* const sorted = by_bucket_.get();
    for (const Started* slice = started_.get(); slice != next_started_; ++slice)
        sorted[next[slice->bucket()]++] = *slice;
}

// By bucket, and then dealt out by name, of which the counts say where they go.
NameRows SliceSums::put_in_order() {
    NameRows all = empty_rows();
    uint32_t dealt = 0;  // at most room_
    for (std::size_t together = 0; together < are_used_.size(); ++together) {
        if (std::exchange(are_used_[together], 0) == 0) continue;
        const std::size_t stop = std::min((together + 1) * kTogether, rows_.size());
        for (std::size_t number = together * kTogether; number < stop; ++number) {
            if (places_[number] == 0) continue;
            NameRow& row = all.rows.emplace_back(std::exchange(rows_[number], NameRow()));
            row.number = static_cast<uint32_t>(number);
            places_[number] = dealt;
            dealt += static_cast<uint32_t>(row.count);
        }
    }
    if (dealt != next_started_ - started_.get())
        throw std::logic_error("counts of names are not those of their durations");
    sort_by_bucket();
    for (std::size_t k = 0; k < dealt; ++k) {
        by_name_[places_[by_bucket_[k].count()]++] = static_cast<uint16_t>(by_bucket_[k].bucket());
    }
    by_name_[dealt] = 0;  // what is not the last looks at the next
    next_started_ = started_.get();
    // Each run of equal buckets is one; it is written over as long as it goes on, for there is no foretelling whether it does.
    BucketCount* const runs = by_bucket_.get();
    const uint16_t* const by_name = by_name_.get();
    std::size_t n = 0, at = 0;
    for (NameRow& row : all.rows) {
        const std::size_t first = n, stop = at + row.count;
        std::size_t run = at;
        for (; at < stop; ++at) {
            const uint32_t bucket = by_name[at];
            const auto is_last = static_cast<std::size_t>(static_cast<int>(at + 1 == stop) |
                                                          static_cast<int>(by_name[at + 1] != bucket));
            runs[n] = BucketCount(bucket, at + 1 - run);
            n += is_last;
            run += (at + 1 - run) & (0 - is_last);
        }
        row.n_buckets = static_cast<uint32_t>(n - first);
        places_[row.number] = 0;
    }
    all.buckets.assign(runs, runs + n);
    return all;
}

}  // namespace tilescope
