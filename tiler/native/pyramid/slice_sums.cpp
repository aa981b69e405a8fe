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

SliceSums::SliceSums(std::size_t numbers, std::size_t slices)
    : buckets_of_(&DurationBuckets::all()),
      rows_(numbers),
      used_(numbers / 64 + 1, 0),
      places_(numbers),
      room_(std::min(slices, std::clamp(kEach * numbers, kLeastRoom, kMostRoom))),
      started_(new Started[room_]),
      by_bucket_(new Started[room_]),
      by_name_(new uint16_t[room_ + 1]),
      next_started_(started_.get()),
      started_end_(next_started_ + room_),
      merge_(numbers) {}

NameRows SliceSums::merged(std::vector<NameRows>& parts) {
    NameRows sums = merge_.merge(parts);
    parts.clear();
    return sums;
}

void SliceSums::set_aside() {
    if (std::none_of(used_.begin(), used_.end(), [](uint64_t used) { return used != 0; })) return;
    aside_.push_back(put_in_order());
    if (aside_.size() == kAside) aside_.push_back(merged(aside_));
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
    NameRows all;
    all.rows.reserve(count_bits(used_));
    uint32_t dealt = 0;  // at most room_
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = std::exchange(used_[word], 0); left != 0; left &= left - 1) {
            const std::size_t number = 64 * word + static_cast<std::size_t>(__builtin_ctzll(left));
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
    std::size_t n = 0, position = 0;
    for (NameRow& row : all.rows) {
        const std::size_t first = n, stop = position + row.count;
        std::size_t run = position;
        for (; position < stop; ++position) {
            const uint32_t bucket = by_name[position];
            const auto is_last = static_cast<std::size_t>(static_cast<int>(position + 1 == stop) |
                                                          static_cast<int>(by_name[position + 1] != bucket));
            runs[n] = BucketCount(bucket, position + 1 - run);
            n += is_last;
            run += (position + 1 - run) & (0 - is_last);
        }
        row.n_buckets = static_cast<uint32_t>(n - first);
    }
    all.buckets.assign(runs, runs + n);
    return all;
}

}  // namespace tilescope
