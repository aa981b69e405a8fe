#include "pyramid/name_rows.hpp"

namespace tilescope {

uint64_t NameRows::events() const {
    uint64_t events = 0;
    for (const NameRow& row : rows) events += row.count;
    return events;
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

NameRows merge(const std::vector<NameRows>& parts) {
    struct Head {
        const NameRows* part;
        std::size_t row = 0, bucket = 0;

        Span<const BucketCount> buckets() const {
            return Span<const BucketCount>(part->buckets).subspan(bucket, part->rows[row].n_buckets);
        }
    };
    std::vector<Head> heads;
    std::size_t rows = 0, buckets = 0;
    for (const NameRows& part : parts) {
        if (!part.rows.empty()) heads.push_back({&part});
        rows = std::max(rows, part.rows.size());
        buckets = std::max(buckets, part.buckets.size());
    }
    NameRows sums;
    sums.rows.reserve(rows);
    sums.buckets.reserve(buckets);
    BucketTally tally;
    while (!heads.empty()) {
        uint32_t number = UINT32_MAX;
        for (const Head& head : heads) number = std::min(number, head.part->rows[head.row].number);
        NameRow sum;
        sum.number = number;
        Span<const BucketCount> only;
        int n = 0;
        for (Head& head : heads) {
            const NameRow& row = head.part->rows[head.row];
            if (row.number != number) continue;
            sum.add(row);
            if (++n == 2) tally.add(only);
            if (n == 1) only = head.buckets();
            else tally.add(head.buckets());
            head.bucket += row.n_buckets;
            ++head.row;
        }
        if (n == 1) {
            sums.buckets.insert(sums.buckets.end(), only.begin(), only.end());
            sum.n_buckets = static_cast<uint32_t>(only.size());
        } else {
            sum.n_buckets = tally.take(sums.buckets);
        }
        sums.rows.push_back(sum);
        heads.erase(std::remove_if(heads.begin(), heads.end(),
                                   [](const Head& head) { return head.row == head.part->rows.size(); }),
                    heads.end());
    }
    return sums;
}

}  // namespace tilescope
