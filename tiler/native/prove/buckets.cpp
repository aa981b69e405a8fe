#include "prove/buckets.hpp"

#include <algorithm>
#include <vector>

namespace tilescope {

namespace {

// The longest duration of each bucket. The quotients are taken of the whole and of what is left of it: nothing overflows.
std::vector<int64_t> longest_of_each() {
    std::vector<int64_t> longest;
    for (int64_t next = 0; next >> 61 == 0; next = longest.back() + 1) {
        const int64_t middle = next + next / 100;
        longest.push_back(middle + middle / 99);
    }
    return longest;
}

}  // namespace

int64_t prove_bucket(int64_t duration) {
    static const std::vector<int64_t> longest = longest_of_each();
    return std::lower_bound(longest.begin(), longest.end(), duration) - longest.begin();
}

}  // namespace tilescope
