#include "pyramid/duration_bucket.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "base/bit_length.hpp"
#include "pyramid/geometry.hpp"

namespace tilescope {

namespace {

// A bucket is looked for from that of the duration with the same leading bits and zeros after them: at most two further.
constexpr int kLeading = 6;

struct Buckets {
    std::vector<int64_t> first;  // duration of each, and what lies beyond the last
    std::vector<uint16_t> near;  // by leading bits

    Buckets() {
        __extension__ using Wide = unsigned __int128;
        Wide least = 0;
        while (least < static_cast<Wide>(kTimeLimit)) {
            first.push_back(static_cast<int64_t>(least));
            const Wide middle = least * 101 / 100;
            least = middle * 100 / 99 + 1;
        }
        first.push_back(kTimeLimit);
        std::size_t at = 0;
        for (int64_t place = 0; place < place_of(kTimeLimit - 1) + 1; ++place) {
            while (first[at + 1] <= least_at(place)) ++at;
            near.push_back(static_cast<uint16_t>(at));
        }
    }

    static int64_t place_of(int64_t duration) {
        const int more = bit_length(static_cast<uint64_t>(duration)) - kLeading - 1;
        return more <= 0 ? duration : (static_cast<int64_t>(more) << kLeading) + (duration >> more);
    }

    static int64_t least_at(int64_t place) {
        if (place < 2 << kLeading) return place;
        const int64_t more = (place >> kLeading) - 1;
        return (place - (more << kLeading)) << more;
    }
};

const Buckets& buckets() {
    static const Buckets made;
    return made;
}

}  // namespace

uint32_t duration_bucket(int64_t duration) {
    if (duration < 0 || duration >= kTimeLimit) throw std::out_of_range("a duration beyond 2**61");
    const Buckets& all = buckets();
    std::size_t at = all.near[static_cast<std::size_t>(Buckets::place_of(duration))];
    while (all.first[at + 1] <= duration) ++at;
    return static_cast<uint32_t>(at);
}

uint32_t duration_buckets() { return static_cast<uint32_t>(buckets().first.size() - 1); }

}  // namespace tilescope
