// Counts of the slices of each name by the bucket of their durations. Memory: by what occurs together, not by what
// could.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

// Buckets of rows, one after the other: how many each row has, and these, ascending, with how many slices have one.
struct BucketRows {
    std::vector<int64_t> n;
    std::vector<int64_t> bucket;
    std::vector<int64_t> count;
};

// Names are numbered by whoever counts.
class BucketCounts {
  public:
    void add(uint32_t number, uint32_t bucket, uint64_t count) {
        at(static_cast<uint64_t>(number) << kBits | bucket >> kShift).add(bucket & (kTogether - 1), count);
    }
    // `numbers`: of each of the other's names the number that it has here.
    void add(const BucketCounts& other, const std::vector<uint32_t>& numbers);
    void clear();

    // `row_of`: of each name; those of one row are summed up.
    BucketRows rows(const std::vector<uint32_t>& row_of, std::size_t n_rows) const;

  private:
    // Neighbours are counted together: durations of a name are alike.
    static constexpr int kShift = 4;
    static constexpr uint32_t kTogether = 1U << kShift;
    static constexpr int kBits = 8;  // of buckets / kTogether

    // Most of them are zero: those that are not have their bits set.
    struct Counts {
        std::array<uint64_t, kTogether> of_each{};
        uint32_t used = 0;

        void add(uint32_t bucket, uint64_t count) {
            of_each[bucket] += count;
            if (count != 0) used |= 1U << bucket;
        }
        template <typename Visit>
        void each(const Visit& visit) const {
            for (uint32_t left = used; left != 0; left &= left - 1) {
                const auto bucket = static_cast<uint32_t>(__builtin_ctz(left));
                visit(bucket, of_each[bucket]);
            }
        }
    };

    Counts& at(uint64_t key);
    std::size_t place(uint64_t key) const;
    void widen();

    std::vector<uint64_t> keys_;  // number of the name, and bucket / kTogether
    std::vector<Counts> counts_;
    std::vector<uint32_t> slots_;  // position in keys_ + 1; 0: empty
    std::size_t last_ = 0;         // what was asked for last is often asked for again
};

}  // namespace tilescope
