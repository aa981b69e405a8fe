#include "pyramid/histogram_record.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/span.hpp"
#include "pages/container.hpp"
#include "pyramid/bucket_merge.hpp"
#include "pyramid/name_sums.hpp"

namespace tilescope {

namespace {

// Rows that are fetched before it is their turn.
constexpr std::size_t kAhead = 12;

// Buckets in a line of the cache: those of most rows lie in two.
constexpr std::size_t kInLine = 64 / sizeof(BucketCount);

// The key that rows are ordered by: its fields stand side by side.
struct Rank {
    uint64_t busy;
    uint32_t row;
    uint32_t first_bucket;
    bool operator<(const Rank& other) const { return busy != other.busy ? busy > other.busy : row < other.row; }
};

// Digit by digit, the lowest first: ranks with the same busy time stay as they stand.
void sort_many(std::vector<Rank>& order) {
    constexpr int kBits = 11;
    constexpr uint64_t kDigit = (uint64_t{1} << kBits) - 1;
    uint64_t differs = 0;
    for (const Rank& rank : order) differs |= rank.busy ^ order[0].busy;
    std::vector<Rank> sorted(order.size());
    for (int shift = 0; shift < 64; shift += kBits) {
        if ((differs >> shift & kDigit) == 0) continue;
        std::array<uint32_t, kDigit + 1> next{};
        const auto digit_of = [shift](const Rank& rank) { return ~rank.busy >> shift & kDigit; };
        for (const Rank& rank : order) ++next[digit_of(rank)];
        uint32_t before = 0;
        for (uint32_t& count : next) before += std::exchange(count, before);
        for (const Rank& rank : order) sorted[next[digit_of(rank)]++] = rank;
        std::swap(order, sorted);
    }
}

std::vector<Rank> ranks(Span<const NameRow> rows) {
    constexpr std::size_t kMany = 1024;
    std::vector<Rank> order;
    order.reserve(rows.size());
    uint32_t first = 0;
    for (const NameRow& row : rows) {
        order.push_back({row.busy, static_cast<uint32_t>(order.size()), first});
        first += row.n_buckets;
    }
    if (order.size() < kMany) std::sort(order.begin(), order.end());
    else sort_many(order);
    return order;
}

class SumWriter {
  public:
    // So many rows in all.
    explicit SumWriter(std::size_t rows) {
        for (auto& column : columns_) column.reset(new int64_t[rows]);
    }
    void add(int32_t name, const NameRow& sum) {
        const uint64_t columns[kColumns] = {
            static_cast<uint64_t>(name),
            sum.count,
            sum.busy,
            sum.busy - sum.self,
            static_cast<uint64_t>(sum.longest),
            sum.duration - sum.busy,
            static_cast<uint64_t>(sum.count == 0 ? sum.longest : sum.longest - sum.shortest),
        };
        for (std::size_t k = 0; k < kColumns; ++k) columns_[k][size_] = static_cast<int64_t>(columns[k]);
        ++size_;
    }
    std::string encode(int level, uint32_t owner) const {
        ContainerWriter out("TSHG", level, static_cast<uint32_t>(size_), owner);
        for (std::size_t k = 0; k < kColumns; ++k) {
            out.smaller(static_cast<uint8_t>(static_cast<std::size_t>(ColumnId::histogram_name) + k),
                        Span<const int64_t>(columns_[k].get(), size_));
        }
        return out.finish();
    }

  private:
    static constexpr std::size_t kColumns = 7;  // from histogram_name on

    std::unique_ptr<int64_t[]> columns_[kColumns];
    std::size_t size_ = 0;
};

// The durations of a row without its shortest and its longest, whose buckets its histogram tells. `Count` holds the sum of all.
template <typename Count>
class BucketWriter {
  public:
    // So many rows and buckets at most.
    BucketWriter(std::size_t rows, std::size_t buckets)
        : step_(new uint16_t[buckets + 1]), count_(new Count[buckets + 1]) {
        n_.reserve(rows);
    }
    void add(Span<const BucketCount> of_row) {
        const std::size_t before = size_;
        if (of_row.size() == 1) {
            put_some(0, of_row[0].count(), 2);
        } else if (of_row.size() > 1) {
            put_some(0, of_row.front().count(), 1);
            const BucketCount* entries = of_row.begin();
            const std::size_t between = of_row.size() - 2;
            uint16_t* const step = step_.get() + size_;
            Count* const count = count_.get() + size_;
            for (std::size_t k = 0; k < between; ++k) {
                step[k] = static_cast<uint16_t>(entries[k + 1].bucket() - entries[k].bucket());
                count[k] = static_cast<Count>(entries[k + 1].count());
            }
            size_ += between;
            put_some(entries[between + 1].bucket() - entries[between].bucket(), of_row.back().count(), 1);
        }
        n_.push_back(static_cast<uint16_t>(size_ - before));
    }
    std::string encode(int level, uint32_t owner) const {
        ContainerWriter out("TSSD", level, static_cast<uint32_t>(n_.size()), owner);
        out.smaller(static_cast<uint8_t>(ColumnId::n_buckets), Span<const uint16_t>(n_));
        out.smaller(static_cast<uint8_t>(ColumnId::bucket_step), Span<const uint16_t>(step_.get(), size_));
        out.smaller(static_cast<uint8_t>(ColumnId::bucket_count), Span<const Count>(count_.get(), size_));
        return out.finish();
    }

  private:
    // Without so many of its slices, and not at all without more: there is no foretelling whether it has them.
    void put_some(uint32_t step, uint64_t count, uint64_t omitted) {
        step_[size_] = static_cast<uint16_t>(step);
        count_[size_] = static_cast<Count>(count - omitted);
        size_ += count > omitted ? 1 : 0;
    }

    std::vector<uint16_t> n_;
    // Room for one more than there may be, which is not put.
    std::unique_ptr<uint16_t[]> step_;
    std::unique_ptr<Count[]> count_;
    std::size_t size_ = 0;
};

// Encodes the rows in their order; those from `kept` on are one row.
template <typename Count>
HistogramRecords encode(const RowsView& sums, const std::vector<Rank>& order, std::size_t kept,
                        Span<const int32_t> names, int level, uint32_t owner) {
    const auto buckets_of = [&](const Rank& rank) {
        return sums.buckets.subspan(rank.first_bucket, sums.rows[rank.row].n_buckets);
    };
    SumWriter columns(kept + 1);
    BucketWriter<Count> buckets(kept + 1, sums.buckets.size());  // those of all others are no more than theirs
    for (std::size_t k = 0; k < kept; ++k) {
        // Rows stand in another order, and there are more of them than caches hold.
        if (k + kAhead < kept) {
            const Rank& then = order[k + kAhead];
            __builtin_prefetch(sums.rows.data() + then.row);
            __builtin_prefetch(sums.buckets.data() + then.first_bucket);
            __builtin_prefetch(sums.buckets.data() + std::min(then.first_bucket + kInLine, sums.buckets.size()));
        }
        const NameRow& row = sums.rows[order[k].row];
        columns.add(names[row.number], row);
        buckets.add(buckets_of(order[k]));
    }
    if (kept < order.size()) {
        NameRow others;
        BucketMerge all;
        for (const Rank& rank : Span<const Rank>(order).subspan(kept)) {
            others.add(sums.rows[rank.row]);
            all.add(buckets_of(rank));
        }
        std::vector<BucketCount> of_others(BucketCount::kMost);
        const BucketCount* const stop = all.take(of_others.data());
        columns.add(kOtherNames, others);
        buckets.add(Span<const BucketCount>(of_others).first(static_cast<std::size_t>(stop - of_others.data())));
    }
    return {columns.encode(level, owner), buckets.encode(level, owner)};
}

}  // namespace

HistogramRecords encode_histogram(const RowsView& sums, Span<const int32_t> names, std::size_t rows, int level,
                                  uint32_t owner) {
    const std::size_t kept = std::min(rows, sums.rows.size());
    const std::vector<Rank> order = ranks(sums.rows);
    if (sums.events() > UINT32_MAX) return encode<int64_t>(sums, order, kept, names, level, owner);
    return encode<uint32_t>(sums, order, kept, names, level, owner);
}

}  // namespace tilescope
