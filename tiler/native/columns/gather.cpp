#include "columns/gather.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

// Returns where a string begins and ends.
std::pair<size_t, size_t> place_of(Span<const int64_t> ends, int64_t number) {
    const auto k = static_cast<size_t>(number);
    if (k >= ends.size()) throw std::invalid_argument("order is out of range");
    return {static_cast<size_t>(k == 0 ? 0 : ends[k - 1]), static_cast<size_t>(ends[k])};
}

}  // namespace

size_t gathered_ends(Span<const int64_t> ends, size_t size, const Gathered& order, Span<int64_t> out_ends) {
    int64_t before = 0;
    for (const int64_t end : ends) {
        if (end < before) throw std::invalid_argument("ends decrease");
        before = end;
    }
    if (before > static_cast<int64_t>(size)) throw std::invalid_argument("ends lie beyond the data");
    const size_t strings = same_size(order.first, out_ends);
    const bool has_second = !order.second.empty();
    if (has_second && order.second.size() != strings) throw std::invalid_argument("columns of different lengths");
    size_t total = 0;
    const auto add = [&](int64_t number) {
        const auto [begin, end] = place_of(ends, number);
        total += end - begin;
    };
    for (size_t j = 0; j < strings; ++j) {
        add(order.first[j]);
        if (has_second && order.second[j] != -1) add(order.second[j]);
        out_ends[j] = static_cast<int64_t>(total);
    }
    return total;
}

void gather(Span<const int64_t> ends, Bytes data, const Gathered& order, Span<int64_t> out_ends, Span<uint8_t> out) {
    if (gathered_ends(ends, data.size(), order, out_ends) != out.size()) {
        throw std::invalid_argument("the strings do not fill the room for them");
    }
    size_t offset = 0;
    const auto copy = [&](int64_t number) {
        const auto [begin, end] = place_of(ends, number);
        const Bytes string = data.subspan(begin, end - begin);
        const Span<uint8_t> place = out.subspan(offset, string.size());
        if (!string.empty()) std::memcpy(place.data(), string.data(), string.size());
        offset += string.size();
    };
    for (size_t j = 0; j < order.first.size(); ++j) {
        copy(order.first[j]);
        if (!order.second.empty() && order.second[j] != -1) copy(order.second[j]);
    }
}

}  // namespace tilescope
