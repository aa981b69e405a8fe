#include "columns/gather.hpp"

#include <cstring>
#include <stdexcept>

namespace tilescope {

size_t gathered_ends(Span<const int64_t> ends, size_t size, Span<const int64_t> order, Span<int64_t> out_ends) {
    int64_t before = 0;
    for (const int64_t end : ends) {
        if (end < before) throw std::invalid_argument("ends decrease");
        before = end;
    }
    if (before > static_cast<int64_t>(size)) throw std::invalid_argument("ends lie beyond the data");
    int64_t total = 0;
    for (size_t j = 0; j < same_size(order, out_ends); ++j) {
        const auto k = static_cast<size_t>(order[j]);
        if (k >= ends.size()) throw std::invalid_argument("order is out of range");
        total += ends[k] - (k == 0 ? 0 : ends[k - 1]);
        out_ends[j] = total;
    }
    return static_cast<size_t>(total);
}

void gather(Span<const int64_t> ends, Bytes data, Span<const int64_t> order, Span<int64_t> out_ends,
            Span<uint8_t> out) {
    if (gathered_ends(ends, data.size(), order, out_ends) != out.size()) {
        throw std::invalid_argument("the strings do not fill the room for them");
    }
    size_t at = 0;
    for (const int64_t row : order) {
        const auto k = static_cast<size_t>(row);
        const auto from = static_cast<size_t>(k == 0 ? 0 : ends[k - 1]);
        const Bytes string = data.subspan(from, static_cast<size_t>(ends[k]) - from);
        const Span<uint8_t> place = out.subspan(at, string.size());
        if (!string.empty()) std::memcpy(place.data(), string.data(), string.size());
        at += string.size();
    }
}

}  // namespace tilescope
