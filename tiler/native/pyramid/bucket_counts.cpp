#include "pyramid/bucket_counts.hpp"

#include <algorithm>

namespace tilescope {

namespace {

constexpr std::size_t kFirstSlots = 64;

// So many neighbours are looked at before the table is.
constexpr std::size_t kNear = 4;

}  // namespace

std::size_t BucketCounts::place(uint64_t key) const {
    const uint64_t mixed = key * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
}

BucketCounts::Counts& BucketCounts::at(uint64_t key) {
    // Records are alike: what follows in one of them mostly follows here, too, and memory is read in its order.
    const std::size_t near = std::min(keys_.size(), last_ + kNear);
    for (std::size_t k = last_; k < near; ++k) {
        if (keys_[k] == key) return counts_[last_ = k];
    }
    if (slots_.size() <= 2 * keys_.size()) widen();
    std::size_t slot = place(key);
    while (slots_[slot] != 0) {
        last_ = slots_[slot] - 1;
        if (keys_[last_] == key) return counts_[last_];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    last_ = keys_.size();
    keys_.push_back(key);
    counts_.push_back({});
    slots_[slot] = static_cast<uint32_t>(keys_.size());
    return counts_.back();
}

void BucketCounts::widen() {
    slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), 0);
    for (std::size_t k = 0; k < keys_.size(); ++k) {
        std::size_t slot = place(keys_[k]);
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<uint32_t>(k + 1);
    }
}

void BucketCounts::add(const BucketCounts& other, const std::vector<uint32_t>& numbers) {
    for (std::size_t k = 0; k < other.keys_.size(); ++k) {
        const uint64_t key = other.keys_[k];
        Counts& sums = at(static_cast<uint64_t>(numbers[key >> kBits]) << kBits | (key & ((1U << kBits) - 1)));
        other.counts_[k].each([&sums](uint32_t j, uint64_t count) { sums.add(j, count); });
    }
}

void BucketCounts::clear() {
    keys_.clear();
    counts_.clear();
    std::fill(slots_.begin(), slots_.end(), 0U);
}

BucketRows BucketCounts::rows(const std::vector<uint32_t>& row_of, std::size_t n_rows) const {
    std::vector<std::size_t> first(n_rows + 1, 0);  // of each row, among the keys in the order of rows
    for (const uint64_t key : keys_) ++first[row_of[key >> kBits] + 1];
    for (std::size_t row = 0; row < n_rows; ++row) first[row + 1] += first[row];
    std::vector<std::size_t> next_place(first.begin(), first.end() - 1), order(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) order[next_place[row_of[keys_[k] >> kBits]]++] = k;
    const auto part = [this](std::size_t k) { return keys_[k] & ((1U << kBits) - 1); };
    BucketRows out;
    out.n.reserve(n_rows);
    out.bucket.reserve(2 * keys_.size());
    out.count.reserve(2 * keys_.size());
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first[row]);
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(first[row + 1]);
        if (end - begin > 1) std::sort(begin, end, [&part](std::size_t a, std::size_t b) { return part(a) < part(b); });
        const std::size_t before = out.bucket.size();
        for (auto next = begin; next != end;) {
            const uint64_t together = part(*next);
            const auto list = [&](const Counts& counts) {
                counts.each([&](uint32_t j, uint64_t count) {
                    out.bucket.push_back(static_cast<int64_t>(together << kShift | j));
                    out.count.push_back(static_cast<int64_t>(count));
                });
            };
            const Counts& counts = counts_[*next++];
            if (next == end || part(*next) != together) {
                list(counts);
                continue;
            }
            Counts sums = counts;  // several names in one row
            for (; next != end && part(*next) == together; ++next) {
                counts_[*next].each([&sums](uint32_t j, uint64_t count) { sums.add(j, count); });
            }
            list(sums);
        }
        out.n.push_back(static_cast<int64_t>(out.bucket.size() - before));
    }
    return out;
}

}  // namespace tilescope
