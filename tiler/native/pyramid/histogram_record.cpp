#include "pyramid/histogram_record.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/span.hpp"
#include "pages/container.hpp"
#include "pyramid/name_sums.hpp"

namespace tilescope {

namespace {

// What rows are ordered by stands side by side.
struct Rank {
    uint64_t busy;
    uint32_t at;
    bool operator<(const Rank& other) const { return busy != other.busy ? busy > other.busy : at < other.at; }
};

// The first of them in order.
std::vector<Rank> ranks(const std::vector<NameRow>& rows, std::size_t first) {
    std::vector<Rank> order;
    order.reserve(rows.size());
    for (const NameRow& row : rows) order.push_back({row.busy, static_cast<uint32_t>(order.size())});
    const auto kept = order.begin() + static_cast<std::ptrdiff_t>(std::min(first, rows.size()));
    if (kept != order.end()) std::nth_element(order.begin(), kept, order.end());
    std::sort(order.begin(), kept);
    return order;
}

class SumWriter {
  public:
    explicit SumWriter(std::size_t rows) {
        for (auto& column : columns_) column.reserve(rows);
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
        for (std::size_t k = 0; k < kColumns; ++k) columns_[k].push_back(static_cast<int64_t>(columns[k]));
    }
    std::string encode(int level, uint32_t owner) const {
        ContainerWriter out("TSHG", level, static_cast<uint32_t>(columns_[0].size()), owner);
        for (std::size_t k = 0; k < kColumns; ++k) {
            out.smaller(static_cast<uint8_t>(static_cast<std::size_t>(ColumnId::histogram_name) + k), columns_[k]);
        }
        return out.finish();
    }

  private:
    static constexpr std::size_t kColumns = 7;  // from histogram_name on

    std::vector<int64_t> columns_[kColumns];
};

class BucketWriter {
  public:
    BucketWriter(std::size_t rows, std::size_t buckets) {
        n_.reserve(rows);
        first_.reserve(rows);
        step_.reserve(buckets);
        count_.reserve(buckets);
    }
    void add(Span<const BucketCount> of_row) {
        n_.push_back(static_cast<int64_t>(of_row.size()));
        first_.push_back(of_row.empty() ? 0 : of_row[0].bucket);
        for (std::size_t k = 1; k < of_row.size(); ++k) {
            step_.push_back(static_cast<int64_t>(of_row[k].bucket) - of_row[k - 1].bucket);
        }
        for (const BucketCount& one : of_row) count_.push_back(static_cast<int64_t>(one.count));
    }
    std::string encode(int level, uint32_t owner) const {
        ContainerWriter out("TSSD", level, static_cast<uint32_t>(n_.size()), owner);
        out.smaller(static_cast<uint8_t>(ColumnId::n_buckets), n_);
        out.smaller(static_cast<uint8_t>(ColumnId::first_bucket), first_);
        out.smaller(static_cast<uint8_t>(ColumnId::bucket_step), step_);
        out.smaller(static_cast<uint8_t>(ColumnId::bucket_count), count_);
        return out.finish();
    }

  private:
    std::vector<int64_t> n_, first_, step_, count_;
};

}  // namespace

HistogramRecords encode_histogram(const NameRows& sums, const LocalNames& names, std::size_t rows, int level,
                                  uint32_t owner) {
    const std::vector<Rank> order = ranks(sums.rows, rows);
    std::vector<std::size_t> first;  // bucket of each row
    first.reserve(order.size());
    std::size_t next = 0;
    for (const NameRow& row : sums.rows) {
        first.push_back(next);
        next += row.n_buckets;
    }
    const auto buckets_of = [&](const Rank& rank) {
        return Span<const BucketCount>(sums.buckets).subspan(first[rank.at], sums.rows[rank.at].n_buckets);
    };
    const std::size_t kept = std::min(rows, order.size());
    SumWriter columns(kept + 1);
    BucketWriter buckets(kept + 1, sums.buckets.size());
    for (const Rank& rank : Span<const Rank>(order).first(kept)) {
        const NameRow& row = sums.rows[rank.at];
        columns.add(names.name(row.number), row);
        buckets.add(buckets_of(rank));
    }
    if (kept < order.size()) {
        NameRow others;
        BucketTally tally;
        for (const Rank& rank : Span<const Rank>(order).subspan(kept)) {
            others.add(sums.rows[rank.at]);
            tally.add(buckets_of(rank));
        }
        std::vector<BucketCount> of_others;
        tally.take(of_others);
        columns.add(kOtherNames, others);
        buckets.add(of_others);
    }
    return {columns.encode(level, owner), buckets.encode(level, owner)};
}

}  // namespace tilescope
