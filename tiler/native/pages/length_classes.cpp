#include "pages/length_classes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace tilescope {

namespace {

struct Place {
    size_t begin;
    size_t length;
};

// Texts of [start, end of the last), by their lengths, and by their order where these are equal. Throws std::invalid_argument.
std::vector<Place> places_by_length(Span<const int64_t> ends, int64_t start, size_t size) {
    std::vector<Place> places;
    places.reserve(ends.size());
    int64_t before = start;
    size_t longest = 0;
    if (start < 0) throw std::invalid_argument("ends decrease");
    for (const int64_t end : ends) {
        if (end < before) throw std::invalid_argument("ends decrease");
        if (static_cast<uint64_t>(end) > size) throw std::invalid_argument("ends lie beyond the data");
        places.push_back({static_cast<size_t>(before), static_cast<size_t>(end - before)});
        longest = std::max(longest, places.back().length);
        before = end;
    }
    if (longest > std::max<size_t>(places.size(), 256)) {
        std::stable_sort(places.begin(), places.end(), [](Place a, Place b) { return a.length < b.length; });
        return places;
    }
    std::vector<size_t> next(longest + 2, 0);
    for (const Place& place : places) ++next[place.length + 1];
    for (size_t length = 1; length < next.size(); ++length) next[length] += next[length - 1];
    std::vector<Place> ordered(places.size());
    for (const Place& place : places) ordered[next[place.length]++] = place;
    return ordered;
}

// The bytes of eight numbers the other way round: byte j of number k becomes byte k of number j.
void transpose(std::array<uint64_t, 8>& rows) {
    const auto swap = [&rows](size_t distance, uint64_t low, unsigned shift) {
        for (size_t k = 0; k < 8; ++k) {
            if ((k & distance) != 0) continue;
            uint64_t& a = rows[k];
            uint64_t& b = rows[k + distance];
            const uint64_t moved = (a >> shift ^ b) & low;
            b ^= moved;
            a ^= moved << shift;
        }
    };
    swap(4, 0x00000000ffffffffU, 32);
    swap(2, 0x0000ffff0000ffffU, 16);
    swap(1, 0x00ff00ff00ff00ffU, 8);
}

}  // namespace

std::string transpose_by_length(Span<const int64_t> ends, int64_t start, Bytes data) {
    const std::vector<Place> places = places_by_length(ends, start, data.size());
    const int64_t stop = ends.empty() ? start : ends.back();
    std::string all(static_cast<size_t>(stop - start), '\0');
    Span<char> out(all);
    for (size_t first = 0; first < places.size();) {
        const size_t length = places[first].length;
        size_t last = first + 1;
        while (last < places.size() && places[last].length == length) ++last;
        const size_t count = last - first;
        const Span<char> columns = out.first(count * length);
        const Span<const Place> texts(places.data() + first, count);
        const size_t whole_texts = count / 8 * 8, whole_length = length / 8 * 8;
        for (size_t k = 0; k < whole_texts; k += 8) {
            for (size_t at = 0; at < whole_length; at += 8) {
                std::array<uint64_t, 8> block{};
                for (size_t j = 0; j < 8; ++j)
                    std::memcpy(&block[j], data.subspan(texts[k + j].begin + at, 8).data(), 8);
                transpose(block);
                for (size_t j = 0; j < 8; ++j)
                    std::memcpy(columns.subspan((at + j) * count + k, 8).data(), &block[j], 8);
            }
            for (size_t at = whole_length; at < length; ++at)
                for (size_t j = k; j < k + 8; ++j)
                    columns[at * count + j] = static_cast<char>(data[texts[j].begin + at]);
        }
        for (size_t k = whole_texts; k < count; ++k)
            for (size_t at = 0; at < length; ++at)
                columns[at * count + k] = static_cast<char>(data[texts[k].begin + at]);
        out = out.subspan(count * length);
        first = last;
    }
    return all;
}

std::vector<uint8_t> restored_by_length(Span<const int64_t> ends, Bytes classes) {
    const std::vector<Place> places = places_by_length(ends, 0, classes.size());
    if (static_cast<size_t>(ends.empty() ? 0 : ends.back()) != classes.size())
        throw std::invalid_argument("ends lie beyond the data");
    std::vector<uint8_t> all(classes.size());
    const Span<uint8_t> out(all);
    for (size_t first = 0; first < places.size();) {
        const size_t length = places[first].length;
        size_t last = first + 1;
        while (last < places.size() && places[last].length == length) ++last;
        const size_t count = last - first;
        for (size_t at = 0; at < length; ++at)
            for (size_t k = 0; k < count; ++k) out[places[first + k].begin + at] = classes[at * count + k];
        classes = classes.subspan(count * length);
        first = last;
    }
    return all;
}

}  // namespace tilescope
