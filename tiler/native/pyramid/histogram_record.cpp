#include "pyramid/histogram_record.hpp"

#include <vector>

#include "base/span.hpp"
#include "pages/container.hpp"

namespace tilescope {

namespace {

std::string encode_sums(const std::vector<NameSum>& sums, int level, uint32_t owner) {
    ContainerWriter out("TSHG", level, static_cast<uint32_t>(sums.size()), owner);
    std::vector<int64_t> column(sums.size());
    const auto put = [&](ColumnId id, const auto& value_of) {
        for (std::size_t k = 0; k < sums.size(); ++k) column[k] = static_cast<int64_t>(value_of(sums[k]));
        out.smaller(static_cast<uint8_t>(id), column);
    };
    put(ColumnId::histogram_name, [](const NameSum& sum) { return sum.name; });
    put(ColumnId::histogram_count, [](const NameSum& sum) { return sum.count; });
    put(ColumnId::histogram_busy, [](const NameSum& sum) { return sum.busy; });
    put(ColumnId::busy_minus_self, [](const NameSum& sum) { return sum.busy - sum.self; });
    put(ColumnId::longest, [](const NameSum& sum) { return sum.longest; });
    put(ColumnId::duration_minus_busy, [](const NameSum& sum) { return sum.duration - sum.busy; });
    put(ColumnId::longest_minus_shortest,
        [](const NameSum& sum) { return sum.count == 0 ? sum.longest : sum.longest - sum.shortest; });
    return out.finish();
}

std::string encode_buckets(const BucketRows& rows, int level, uint32_t owner) {
    std::vector<int64_t> first, step;
    first.reserve(rows.n.size());
    step.reserve(rows.bucket.size());
    std::size_t at = 0;
    for (const int64_t n : rows.n) {
        const Span<const int64_t> of_row = Span<const int64_t>(rows.bucket).subspan(at, static_cast<std::size_t>(n));
        at += of_row.size();
        first.push_back(of_row.empty() ? 0 : of_row[0]);
        for (std::size_t k = 1; k < of_row.size(); ++k) step.push_back(of_row[k] - of_row[k - 1]);
    }
    ContainerWriter out("TSSD", level, static_cast<uint32_t>(rows.n.size()), owner);
    out.smaller(static_cast<uint8_t>(ColumnId::n_buckets), rows.n);
    out.smaller(static_cast<uint8_t>(ColumnId::first_bucket), first);
    out.smaller(static_cast<uint8_t>(ColumnId::bucket_step), step);
    out.smaller(static_cast<uint8_t>(ColumnId::bucket_count), rows.count);
    return out.finish();
}

}  // namespace

HistogramRecords encode_histogram(const HistogramRows& rows, int level, uint32_t owner) {
    return {encode_sums(rows.sums, level, owner), encode_buckets(rows.buckets, level, owner)};
}

}  // namespace tilescope
