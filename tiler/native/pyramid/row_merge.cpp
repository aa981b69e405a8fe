#include "pyramid/row_merge.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

// The next row of a part, and where its buckets begin.
struct Head {
    const NameRow* row = nullptr;
    const BucketCount* bucket = nullptr;

    Span<const BucketCount> buckets() const { return {bucket, row->n_buckets}; }
    void go_on() {
        bucket += row->n_buckets;
        ++row;
    }
};

}  // namespace

// Merges the rows of parts. The parts that have a number are noted before it is its turn: to ask each of them would be
// a guess each time.
NameRows RowMerge::merge(const std::vector<NameRows>& parts) {
    if (parts.size() > kMostParts) throw std::invalid_argument("too many parts are merged");
    std::array<Head, kMostParts> heads;
    std::size_t buckets = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        heads[part] = {parts[part].rows.data(), parts[part].buckets.data()};
        buckets += parts[part].buckets.size();
        for (const NameRow& row : parts[part].rows) {
            parts_of_[row.number] = static_cast<uint16_t>(parts_of_[row.number] | 1U << part);
            used_[row.number / 64] |= uint64_t{1} << row.number % 64;
        }
    }
    NameRows sums;
    sums.rows.reserve(count_bits(used_));
    sums.buckets.resize(buckets);
    BucketCount* out = sums.buckets.data();
    for (std::size_t word = 0; word < used_.size(); ++word) {
        for (uint64_t left = std::exchange(used_[word], 0); left != 0; left &= left - 1) {
            const std::size_t number = 64 * word + static_cast<std::size_t>(__builtin_ctzll(left));
            unsigned part_bits = std::exchange(parts_of_[number], uint16_t{0});
            Head& first = heads[static_cast<std::size_t>(__builtin_ctz(part_bits))];
            NameRow& sum = sums.rows.emplace_back(*first.row);
            part_bits &= part_bits - 1;
            if (part_bits == 0) {
                out = std::copy_n(first.bucket, sum.n_buckets, out);
                first.go_on();
                continue;
            }
            buckets_.add(first.buckets());
            first.go_on();
            for (; part_bits != 0; part_bits &= part_bits - 1) {
                Head& head = heads[static_cast<std::size_t>(__builtin_ctz(part_bits))];
                sum.add(*head.row);
                buckets_.add(head.buckets());
                head.go_on();
            }
            BucketCount* const stop = buckets_.take(out);
            sum.n_buckets = static_cast<uint32_t>(stop - out);
            out = stop;
        }
    }
    sums.buckets.resize(static_cast<std::size_t>(out - sums.buckets.data()));
    return sums;
}

}  // namespace tilescope
