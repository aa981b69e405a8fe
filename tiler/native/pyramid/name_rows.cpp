#include "pyramid/name_rows.hpp"

#include <stdexcept>
#include <utility>

namespace tilescope {

uint64_t NameRows::events() const {
    uint64_t events = 0;
    for (const NameRow& row : rows) events += row.count;
    return events;
}

void BucketCounter::take_from(BucketCounter& other, uint32_t least, uint32_t most) {
    for (std::size_t bucket = least; bucket <= most; ++bucket) {
        counts_[bucket] += std::exchange(other.counts_[bucket], 0);
    }
}

// There is no foretelling which occur, so nothing depends on it.
uint32_t BucketCounter::list(std::vector<BucketCount>& out, uint32_t least, uint32_t most) const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): 16 KB, of which those that are read were written
    std::array<BucketCount, BucketTally::kBuckets> all;
    std::size_t n = 0;
    for (uint32_t bucket = least; bucket <= most; ++bucket) {
        all[n] = BucketCount(bucket, counts_[bucket]);
        n += counts_[bucket] != 0 ? 1 : 0;
    }
    out.insert(out.end(), all.begin(), all.begin() + n);
    return static_cast<uint32_t>(n);
}

uint32_t BucketTally::take(std::vector<BucketCount>& out) {
    const std::size_t before = out.size();
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = used_[word]; left != 0; left &= left - 1) {
            const std::size_t bucket = 64 * word + static_cast<std::size_t>(__builtin_ctzll(left));
            out.emplace_back(static_cast<uint32_t>(bucket), counts_[bucket]);
            counts_[bucket] = 0;
        }
        used_[word] = 0;
    }
    return static_cast<uint32_t>(out.size() - before);
}

namespace {

// The next row of a part, and where its buckets begin.
class Head {
  public:
    explicit Head(const NameRows& part)
        : row_(part.rows.data()), stop_(row_ + part.rows.size()), bucket_(part.buckets.data()) {}

    bool ended() const { return row_ == stop_; }
    const NameRow& row() const { return *row_; }
    Span<const BucketCount> buckets() const { return {bucket_, row_->n_buckets}; }
    void go_on() {
        bucket_ += row_->n_buckets;
        ++row_;
    }

  private:
    const NameRow* row_;
    const NameRow* stop_;
    const BucketCount* bucket_;
};

// Sums up the buckets of one name.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): of those that are near, the ones that are read were written
class BucketMerge {
  public:
    void add(Span<const BucketCount> ascending) {
        if (ascending.empty()) return;
        some_[n_++] = ascending;
        together_ += ascending.size();
        least_ = std::min(least_, ascending.front().bucket());
        most_ = std::max(most_, ascending.back().bucket());
    }
    // Appends them, ascending, and begins anew. Returns how many they are.
    uint32_t take(std::vector<BucketCount>& out) {
        const std::size_t before = out.size();
        if (n_ == 1) {
            out.insert(out.end(), some_[0].begin(), some_[0].end());
        } else if (n_ > 1) {
            if (most_ - least_ < kFar * together_) sum_near(out);
            else sum_far(out);
        }
        n_ = together_ = 0;
        least_ = UINT32_MAX;
        most_ = 0;
        return static_cast<uint32_t>(out.size() - before);
    }

  private:
    // All buckets between are looked at when there are no more than so many for each that occurs: there is no foretelling which
    // occur, so nothing depends on it.
    static constexpr uint64_t kFar = 4;

    void sum_near(std::vector<BucketCount>& out) {
        for (std::size_t k = 0; k < n_; ++k) {
            for (const BucketCount& one : some_[k]) counts_[one.bucket()] += one.count();
        }
        std::size_t n = 0;
        for (uint32_t bucket = least_; bucket <= most_; ++bucket) {
            const uint64_t count = std::exchange(counts_[bucket], 0);
            near_[n] = BucketCount(bucket, count);
            n += count != 0 ? 1 : 0;
        }
        out.insert(out.end(), near_.begin(), near_.begin() + n);
    }
    void sum_far(std::vector<BucketCount>& out) {
        for (std::size_t k = 0; k < n_; ++k) far_.add(some_[k]);
        far_.take(out);
    }

    std::array<Span<const BucketCount>, kMostParts> some_;
    std::size_t n_ = 0;
    uint64_t together_ = 0;
    uint32_t least_ = UINT32_MAX, most_ = 0;
    std::array<uint64_t, BucketTally::kBuckets> counts_{};
    std::array<BucketCount, BucketTally::kBuckets> near_;
    BucketTally far_;
};

}  // namespace

void merge(const std::vector<NameRows>& parts, NameRows& sums) {
    if (parts.size() > kMostParts) throw std::invalid_argument("too many parts are merged");
    std::vector<Head> heads;
    std::size_t rows = 0, buckets = 0;
    for (const NameRows& part : parts) {
        if (!part.rows.empty()) heads.emplace_back(part);
        rows += part.rows.size();
        buckets += part.buckets.size();
    }
    sums.rows.reserve(rows);
    sums.buckets.reserve(buckets);
    BucketMerge merged;
    while (!heads.empty()) {
        uint32_t number = UINT32_MAX;
        for (const Head& head : heads) number = std::min(number, head.row().number);
        NameRow& sum = sums.rows.emplace_back();
        sum.number = number;
        bool any_ended = false;
        for (Head& head : heads) {
            if (head.row().number != number) continue;
            sum.add(head.row());
            merged.add(head.buckets());
            head.go_on();
            any_ended = any_ended || head.ended();
        }
        sum.n_buckets = merged.take(sums.buckets);
        if (any_ended) {
            heads.erase(std::remove_if(heads.begin(), heads.end(), [](const Head& head) { return head.ended(); }),
                        heads.end());
        }
    }
}

}  // namespace tilescope
