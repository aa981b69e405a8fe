#include "pyramid/duration_bucket.hpp"

namespace tilescope {

DurationBuckets::DurationBuckets() {
    __extension__ using Wide = unsigned __int128;
    Wide least = 0;
    while (least < static_cast<Wide>(kTimeLimit)) {
        first_.push_back(static_cast<int64_t>(least));
        const Wide middle = least * 101 / 100;
        least = middle * 100 / 99 + 1;
    }
    first_.push_back(kTimeLimit);
    std::size_t bucket = 0;
    for (int64_t place = 0; place < place_of(kTimeLimit - 1) + 1; ++place) {
        while (first_[bucket + 1] <= least_at(place)) ++bucket;
        near_.push_back(static_cast<uint16_t>(bucket));
    }
}

int64_t DurationBuckets::least_at(int64_t place) {
    if (place < 2 << kLeading) return place;
    const int64_t more = (place >> kLeading) - 1;
    return (place - (more << kLeading)) << more;
}

const DurationBuckets& DurationBuckets::all() {
    static const DurationBuckets made;
    return made;
}

}  // namespace tilescope
