#include "columns/gather.hpp"

#include <cstring>
#include <stdexcept>

namespace tilescope {

size_t gathered_ends(const int64_t* ends, size_t n, size_t size, const int64_t* order, size_t m, int64_t* out_ends) {
    int64_t before = 0;
    for (size_t k = 0; k < n; ++k) {
        if (ends[k] < before) throw std::invalid_argument("ends decrease");
        before = ends[k];
    }
    if (before > static_cast<int64_t>(size)) throw std::invalid_argument("ends lie beyond the data");
    int64_t total = 0;
    for (size_t j = 0; j < m; ++j) {
        const int64_t k = order[j];
        if (k < 0 || static_cast<size_t>(k) >= n) throw std::invalid_argument("order is out of range");
        total += ends[k] - (k == 0 ? 0 : ends[k - 1]);
        out_ends[j] = total;
    }
    return static_cast<size_t>(total);
}

void gather(const int64_t* ends, const uint8_t* data, const int64_t* order, size_t m, uint8_t* out) {
    for (size_t j = 0; j < m; ++j) {
        const int64_t k = order[j];
        const int64_t from = k == 0 ? 0 : ends[k - 1];
        const size_t length = static_cast<size_t>(ends[k] - from);
        if (length > 0) std::memcpy(out, data + from, length);
        out += length;
    }
}

}  // namespace tilescope
