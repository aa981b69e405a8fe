#include "pyramid/name_sums.hpp"

#include <algorithm>

#include "pyramid/duration_bucket.hpp"

namespace tilescope {

namespace {

constexpr size_t kFirstSlots = 64;

constexpr NameSum nothing(int32_t name) { return {name, 0, 0, 0, 0, 0, INT64_MAX}; }

}  // namespace

void NameSum::add(const NameSum& other) {
    count += other.count;
    busy += other.busy;
    self += other.self;
    duration += other.duration;
    longest = std::max(longest, other.longest);
    shortest = std::min(shortest, other.shortest);
}

size_t NameSums::place(int32_t name) const {
    const uint64_t mixed = static_cast<uint32_t>(name) * 0x9E3779B97F4A7C15ULL;
    return static_cast<size_t>(mixed >> 32) & (slots_.size() - 1);
}

NameSum& NameSums::at(int32_t name) {
    if (last_ < sums_.size() && sums_[last_].name == name) return sums_[last_];
    if (slots_.size() <= 2 * sums_.size()) enter_all(std::max(kFirstSlots, 2 * slots_.size()));
    size_t slot = place(name);
    while (slots_[slot] != 0) {
        last_ = slots_[slot] - 1;
        if (sums_[last_].name == name) return sums_[last_];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    last_ = sums_.size();
    sums_.push_back(nothing(name));
    slots_[slot] = static_cast<uint32_t>(sums_.size());
    return sums_.back();
}

void NameSums::enter_all(size_t size) {
    slots_.assign(size, 0);
    for (size_t k = 0; k < sums_.size(); ++k) {
        size_t slot = place(sums_[k].name);
        while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
        slots_[slot] = static_cast<uint32_t>(k + 1);
    }
}

NameSum& NameSums::add_start(int32_t name, int64_t duration) {
    NameSum& sum = at(name);
    ++sum.count;
    sum.duration += static_cast<uint64_t>(duration);
    sum.longest = std::max(sum.longest, duration);
    sum.shortest = std::min(sum.shortest, duration);
    if (has_buckets_) buckets_.add(static_cast<uint32_t>(last_), DurationBuckets::all().index_of(duration), 1);
    return sum;
}

void NameSums::add(const NameSums& other) {
    std::vector<uint32_t> numbers;
    numbers.reserve(other.sums_.size());
    for (const NameSum& part : other.sums_) {
        at(part.name).add(part);
        numbers.push_back(static_cast<uint32_t>(last_));
    }
    if (has_buckets_) buckets_.add(other.buckets_, numbers);
}

void NameSums::clear() {
    sums_.clear();
    buckets_.clear();
    std::fill(slots_.begin(), slots_.end(), 0U);
}

}  // namespace tilescope
