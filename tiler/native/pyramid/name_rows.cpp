#include "pyramid/name_rows.hpp"

#include <utility>

namespace tilescope {

uint64_t NameRows::events() const {
    uint64_t events = 0;
    for (const NameRow& row : rows) events += row.count;
    return events;
}

void BucketTally::take_from(BucketTally& other) {
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = other.used_[word]; left != 0; left &= left - 1) {
            const std::size_t bucket = 64 * word + static_cast<std::size_t>(__builtin_ctzll(left));
            counts_[bucket] += std::exchange(other.counts_[bucket], 0);
        }
        used_[word] |= std::exchange(other.used_[word], 0);
    }
}

uint32_t BucketTally::list(std::vector<BucketCount>& out) const {
    const std::size_t before = out.size();
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = used_[word]; left != 0; left &= left - 1) {
            const std::size_t bucket = 64 * word + static_cast<std::size_t>(__builtin_ctzll(left));
            out.emplace_back(static_cast<uint32_t>(bucket), counts_[bucket]);
        }
    }
    return static_cast<uint32_t>(out.size() - before);
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

// So few buckets of a name are put in their order where they stand; more are counted.
constexpr std::size_t kFew = 24;

// Sums up the last buckets, from `first` on, which ascend in some places. Returns how many are left.
uint32_t sum_few(std::vector<BucketCount>& all, std::size_t first) {
    const Span<BucketCount> some = Span<BucketCount>(all).subspan(first);
    std::size_t n = 0;
    for (const BucketCount one : some) {
        std::size_t at = n;
        while (at > 0 && some[at - 1].bucket() > one.bucket()) --at;
        if (at > 0 && some[at - 1].bucket() == one.bucket()) {
            some[at - 1].add(one.count());
            continue;
        }
        for (std::size_t k = n; k > at; --k) some[k] = some[k - 1];
        some[at] = one;
        ++n;
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(first + n), all.end());
    return static_cast<uint32_t>(n);
}

}  // namespace

NameRows merge(const std::vector<NameRows>& parts) {
    std::vector<Head> heads;
    std::size_t rows = 0, buckets = 0;
    for (const NameRows& part : parts) {
        if (!part.rows.empty()) heads.emplace_back(part);
        rows += part.rows.size();
        buckets += part.buckets.size();
    }
    NameRows sums;
    sums.rows.reserve(rows);
    sums.buckets.reserve(buckets);
    BucketTally tally;
    while (!heads.empty()) {
        uint32_t number = UINT32_MAX;
        for (const Head& head : heads) number = std::min(number, head.row().number);
        NameRow& sum = sums.rows.emplace_back();
        sum.number = number;
        const std::size_t first = sums.buckets.size();
        int n = 0;
        bool any_ended = false;
        for (Head& head : heads) {
            if (head.row().number != number) continue;
            sum.add(head.row());
            const Span<const BucketCount> of_head = head.buckets();
            sums.buckets.insert(sums.buckets.end(), of_head.begin(), of_head.end());
            ++n;
            head.go_on();
            any_ended = any_ended || head.ended();
        }
        const std::size_t together = sums.buckets.size() - first;
        if (n == 1) {
            sum.n_buckets = static_cast<uint32_t>(together);
        } else if (together <= kFew) {
            sum.n_buckets = sum_few(sums.buckets, first);
        } else {
            tally.add(Span<const BucketCount>(sums.buckets).subspan(first));
            sums.buckets.erase(sums.buckets.begin() + static_cast<std::ptrdiff_t>(first), sums.buckets.end());
            sum.n_buckets = tally.take(sums.buckets);
        }
        if (any_ended) {
            heads.erase(std::remove_if(heads.begin(), heads.end(), [](const Head& head) { return head.ended(); }),
                        heads.end());
        }
    }
    return sums;
}

}  // namespace tilescope
