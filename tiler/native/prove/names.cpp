#include "prove/names.hpp"

#include <algorithm>

#include "prove/buckets.hpp"
#include "prove/parts.hpp"

namespace tilescope {

namespace {

constexpr std::size_t kFewBuckets = 16384;

std::size_t hash_of(int64_t name) {
    const uint64_t mixed = static_cast<uint64_t>(name) * 0xD6E8FEB86659FD93ULL;
    return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

}  // namespace

// The self time of a slice is what no later one covers: from the last slice back, with the union of those behind it.
void ProveNames::add_leaf(const ProveSliceSeries& slices, int64_t start, int64_t stop) {
    later_.clear();  // disjoint spans, the first on top
    slices.each_from_last([&](const ProveSlice& slice) {
        const ProveClip part = clip(slice, start, stop);
        ProveNameSum& sum = at(slice.name);
        if (slice.start >= start) {
            sum.shortest = sum.count == 0 ? slice.duration : std::min(sum.shortest, slice.duration);
            ++sum.count;
            sum.duration += slice.duration;
            sum.longest = std::max(sum.longest, slice.duration);
            buckets_.push_back({slice.name, prove_bucket(slice.duration), 1});
        }
        if (part.stop == part.first) return;
        int64_t covered = 0, until = part.stop;
        while (!later_.empty() && later_.back().first < part.stop) {
            covered += std::min(later_.back().second, part.stop) - later_.back().first;
            until = std::max(until, later_.back().second);
            later_.pop_back();
        }
        later_.emplace_back(part.first, until);
        sum.busy += part.stop - part.first;
        sum.self += part.stop - part.first - covered;
    });
    sum_many_buckets();
}

void ProveNames::add(const ProveNames& other) {
    for (const ProveNameSum& part : other.sums_) add_sum(part, part.name);
    for (const ProveBucket& bucket : other.buckets_) buckets_.push_back(bucket);
    sum_many_buckets();
}

void ProveNames::add_as(const ProveNames& other, int64_t name) {
    for (const ProveNameSum& part : other.sums_) add_sum(part, name);
    for (const ProveBucket& bucket : other.buckets_) buckets_.push_back({name, bucket.bucket, bucket.count});
    sum_many_buckets();
}

void ProveNames::add_sum(const ProveNameSum& part, int64_t name) {
    ProveNameSum& sum = at(name);
    if (part.count > 0) sum.shortest = sum.count == 0 ? part.shortest : std::min(sum.shortest, part.shortest);
    sum.count += part.count;
    sum.busy += part.busy;
    sum.self += part.self;
    sum.duration += part.duration;
    sum.longest = std::max(sum.longest, part.longest);
}

void ProveNames::sum_buckets() {
    std::sort(buckets_.begin(), buckets_.end());
    std::size_t n = 0;
    for (const ProveBucket& bucket : buckets_) {
        if (n > 0 && !(buckets_[n - 1] < bucket)) {
            buckets_[n - 1].count += bucket.count;
        } else {
            buckets_[n++] = bucket;
        }
    }
    buckets_.resize(n);
    summed_ = n;
}

// They take no more than twice the room that they need.
void ProveNames::sum_many_buckets() {
    if (buckets_.size() > 2 * summed_ + kFewBuckets) sum_buckets();
}

ProveNameSum& ProveNames::at(int64_t name) {
    if (2 * sums_.size() >= places_.size()) widen();
    const std::size_t mask = places_.size() - 1;
    std::size_t place = hash_of(name) & mask;
    for (; places_[place] != 0; place = (place + 1) & mask) {
        ProveNameSum& sum = sums_[places_[place] - 1];
        if (sum.name == name) return sum;
    }
    sums_.push_back({name, 0, 0, 0, 0, 0, 0});
    places_[place] = static_cast<uint32_t>(sums_.size());
    return sums_.back();
}

void ProveNames::widen() {
    std::size_t size = 64;
    while (size < 4 * sums_.size()) size *= 2;
    places_.assign(size, 0);
    for (std::size_t k = 0; k < sums_.size(); ++k) {
        std::size_t place = hash_of(sums_[k].name) & (size - 1);
        while (places_[place] != 0) place = (place + 1) & (size - 1);
        places_[place] = static_cast<uint32_t>(k + 1);
    }
}

}  // namespace tilescope
