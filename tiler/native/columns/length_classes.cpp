#include "columns/length_classes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/byte_planes.hpp"

namespace tilescope {

namespace {

// Strings by their lengths, and by their order where these are equal.
struct Ordered {
    struct Class {
        size_t length, count;
    };
    std::vector<Class> classes;  // by their lengths
    std::vector<size_t> begins;  // of the strings of the first class, of the next, …
};

// One after the other: there are many lengths, and few strings of each.
void order_by_sorting(const std::vector<size_t>& lengths, const std::vector<size_t>& begins, Ordered& ordered) {
    std::vector<size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return lengths[a] < lengths[b]; });
    for (const size_t k : order) {
        if (ordered.classes.empty() || ordered.classes.back().length != lengths[k])
            ordered.classes.push_back({lengths[k], 0});
        ++ordered.classes.back().count;
        ordered.begins.push_back(begins[k]);
    }
}

// Strings of [start, end of the last). Throws std::invalid_argument.
Ordered order_by_length(Span<const int64_t> ends, int64_t start, size_t size) {
    if (start < 0) throw std::invalid_argument("ends decrease");
    const size_t count = ends.size();
    std::vector<size_t> lengths(count), begins(count);
    size_t longest = 0;
    int64_t before = start;
    bool are_in_order = true;
    for (size_t k = 0; k < count; ++k) {
        const int64_t end = ends[k];
        are_in_order = static_cast<int>(are_in_order) & static_cast<int>(end >= before);
        begins[k] = static_cast<size_t>(before);
        lengths[k] = static_cast<size_t>(end) - static_cast<size_t>(before);
        longest = std::max(longest, lengths[k]);
        before = end;
    }
    if (!are_in_order) throw std::invalid_argument("ends decrease");
    if (static_cast<uint64_t>(before) > size) throw std::invalid_argument("ends lie beyond the data");
    Ordered ordered;
    if (longest > std::max<size_t>(count, 256)) {
        order_by_sorting(lengths, begins, ordered);
        return ordered;
    }
    // Both halves side by side: to count equal lengths in a row, each waits for the one before.
    const size_t half = (count + 1) / 2, rest = count - half;
    std::vector<std::array<size_t, 2>> next(longest + 1);
    const auto each = [&](auto visit) {
        for (size_t k = 0; k < rest; ++k) {
            visit(next[lengths[k]][0], k);
            visit(next[lengths[half + k]][1], half + k);
        }
        if (rest < half) visit(next[lengths[rest]][0], rest);
    };
    each([](size_t& counted, size_t) { ++counted; });
    size_t first = 0;
    for (size_t length = 0; length < next.size(); ++length) {
        const size_t before = first;
        for (size_t& of_half : next[length]) first += std::exchange(of_half, first);
        if (first != before) ordered.classes.push_back({length, first - before});
    }
    ordered.begins.resize(count);
    each([&](size_t& place, size_t k) { ordered.begins[place++] = begins[k]; });
    return ordered;
}

// Up to eight bytes of the data, the first one the lowest.
uint64_t word_at(Bytes data, size_t at, size_t bytes) {
    uint64_t word = 0;
    if (data.size() - at >= sizeof(word))
        std::memcpy(&word, data.data() + at, sizeof(word));  // the rest is not looked at
    else std::memcpy(&word, data.data() + at, bytes);
    return word;
}

}  // namespace

void write_by_length(Span<const int64_t> ends, int64_t start, Bytes data, Span<char> out) {
    const Ordered ordered = order_by_length(ends, start, data.size());
    const int64_t stop = ends.empty() ? start : ends.back();
    if (static_cast<size_t>(stop - start) != out.size()) throw std::invalid_argument("ends lie beyond the data");
    Span<const size_t> begins(ordered.begins);
    std::vector<uint64_t> words;  // of one class, at the same place in each of its strings
    for (const Ordered::Class& of : ordered.classes) {
        words.resize(of.count);
        for (size_t at = 0; at < of.length; at += sizeof(uint64_t)) {
            const size_t bytes = std::min(of.length - at, sizeof(uint64_t));
            for (size_t k = 0; k < of.count; ++k) words[k] = word_at(data, begins[k] + at, bytes);
            write_planes(Span<const uint64_t>(words), bytes, out.first(bytes * of.count).data());
            out = out.subspan(bytes * of.count);
        }
        begins = begins.subspan(of.count);
    }
}

std::vector<uint8_t> restored_by_length(Span<const int64_t> ends, Bytes classes) {
    const Ordered ordered = order_by_length(ends, 0, classes.size());
    if (static_cast<size_t>(ends.empty() ? 0 : ends.back()) != classes.size())
        throw std::invalid_argument("ends lie beyond the data");
    std::vector<uint8_t> all(classes.size());
    const Span<uint8_t> out(all);
    Span<const size_t> begins(ordered.begins);
    for (const Ordered::Class& of : ordered.classes) {
        for (size_t at = 0; at < of.length; ++at)
            for (size_t k = 0; k < of.count; ++k) out[begins[k] + at] = classes[at * of.count + k];
        classes = classes.subspan(of.length * of.count);
        begins = begins.subspan(of.count);
    }
    return all;
}

}  // namespace tilescope
