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

// The places of strings that follow each other.
class Strings {
  public:
    // Throws std::invalid_argument unless they lie in data of that size.
    Strings(Span<const int64_t> ends, int64_t start, size_t size) : ends_(ends), start_(start) {
        if (start < 0) throw std::invalid_argument("ends decrease");
        int64_t before = start;
        bool are_in_order = true;
        for (const int64_t end : ends) {
            are_in_order = static_cast<int>(are_in_order) & static_cast<int>(end >= before);
            longest_ = std::max(longest_, static_cast<size_t>(end) - static_cast<size_t>(before));
            before = end;
        }
        if (!are_in_order) throw std::invalid_argument("ends decrease");
        if (static_cast<uint64_t>(before) > size) throw std::invalid_argument("ends lie beyond the data");
    }

    size_t count() const { return ends_.size(); }
    size_t longest() const { return longest_; }
    size_t begin(size_t k) const { return static_cast<size_t>(k == 0 ? start_ : ends_[k - 1]); }
    size_t length(size_t k) const { return static_cast<size_t>(ends_[k]) - begin(k); }

  private:
    Span<const int64_t> ends_;
    int64_t start_;
    size_t longest_ = 0;
};

// One after the other: there are many lengths, and few strings of each.
void order_by_sorting(const Strings& strings, Ordered& ordered) {
    std::vector<size_t> order(strings.count());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return strings.length(a) < strings.length(b); });
    for (const size_t k : order) {
        const size_t length = strings.length(k);
        if (ordered.classes.empty() || ordered.classes.back().length != length) ordered.classes.push_back({length, 0});
        ++ordered.classes.back().count;
        ordered.begins.push_back(strings.begin(k));
    }
}

// Strings of [start, end of the last). Throws std::invalid_argument.
Ordered order_by_length(Span<const int64_t> ends, int64_t start, size_t size) {
    const Strings strings(ends, start, size);
    const size_t count = strings.count();
    Ordered ordered;
    if (strings.longest() > std::max<size_t>(count, 256)) {
        order_by_sorting(strings, ordered);
        return ordered;
    }
    // All quarters side by side: to count equal lengths in a row, each waits for the one before.
    constexpr size_t kParts = 4;
    const size_t part = count / kParts;
    std::vector<std::array<size_t, kParts>> next(strings.longest() + 1);
    const auto each = [&](auto visit) {
        for (size_t k = 0; k < part; ++k)
            for (size_t quarter = 0; quarter < kParts; ++quarter)
                visit(next[strings.length(quarter * part + k)][quarter], quarter * part + k);
        for (size_t k = kParts * part; k < count; ++k) visit(next[strings.length(k)][kParts - 1], k);
    };
    each([](size_t& counted, size_t) { ++counted; });
    size_t first = 0;
    for (size_t length = 0; length < next.size(); ++length) {
        const size_t before = first;
        for (size_t& of_part : next[length]) first += std::exchange(of_part, first);
        if (first != before) ordered.classes.push_back({length, first - before});
    }
    ordered.begins.resize(count);
    each([&](size_t& place, size_t k) { ordered.begins[place++] = strings.begin(k); });
    return ordered;
}

// Up to eight bytes of the data, the first one the lowest.
uint64_t word_at(Bytes data, size_t offset, size_t bytes) {
    uint64_t word = 0;
    if (data.size() - offset >= sizeof(word))
        std::memcpy(&word, data.data() + offset, sizeof(word));  // the rest is not looked at
    else std::memcpy(&word, data.data() + offset, bytes);
    return word;
}

}  // namespace

void write_by_length(Span<const int64_t> ends, int64_t start, Bytes data, Span<char> out) {
    const Ordered ordered = order_by_length(ends, start, data.size());
    const int64_t stop = ends.empty() ? start : ends.back();
    if (static_cast<size_t>(stop - start) != out.size()) throw std::invalid_argument("ends lie beyond the data");
    Span<const size_t> begins(ordered.begins);
    std::vector<uint64_t> words;  // of one class, at the same place in each of its strings
    for (const Ordered::Class& length_class : ordered.classes) {
        words.resize(length_class.count);
        for (size_t offset = 0; offset < length_class.length; offset += sizeof(uint64_t)) {
            const size_t bytes = std::min(length_class.length - offset, sizeof(uint64_t));
            for (size_t k = 0; k < length_class.count; ++k) words[k] = word_at(data, begins[k] + offset, bytes);
            write_planes(Span<const uint64_t>(words), bytes, out.first(bytes * length_class.count).data());
            out = out.subspan(bytes * length_class.count);
        }
        begins = begins.subspan(length_class.count);
    }
}

std::vector<uint8_t> restored_by_length(Span<const int64_t> ends, Bytes classes) {
    const Ordered ordered = order_by_length(ends, 0, classes.size());
    if (static_cast<size_t>(ends.empty() ? 0 : ends.back()) != classes.size())
        throw std::invalid_argument("ends lie beyond the data");
    std::vector<uint8_t> all(classes.size());
    const Span<uint8_t> out(all);
    Span<const size_t> begins(ordered.begins);
    for (const Ordered::Class& length_class : ordered.classes) {
        for (size_t offset = 0; offset < length_class.length; ++offset)
            for (size_t k = 0; k < length_class.count; ++k)
                out[begins[k] + offset] = classes[offset * length_class.count + k];
        classes = classes.subspan(length_class.length * length_class.count);
        begins = begins.subspan(length_class.count);
    }
    return all;
}

}  // namespace tilescope
