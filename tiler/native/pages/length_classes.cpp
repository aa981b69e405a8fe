#include "pages/length_classes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace tilescope {

std::string transpose_by_length(Span<const int64_t> ends, int64_t start, Bytes data) {
    std::vector<std::string_view> texts;
    texts.reserve(ends.size());
    int64_t before = start;
    if (start < 0) throw std::invalid_argument("ends decrease");
    for (const int64_t end : ends) {
        if (end < before) throw std::invalid_argument("ends decrease");
        if (end > static_cast<int64_t>(data.size())) throw std::invalid_argument("ends lie beyond the data");
        texts.push_back(text_of(data.subspan(static_cast<size_t>(before), static_cast<size_t>(end - before))));
        before = end;
    }
    std::stable_sort(texts.begin(), texts.end(),
                     [](std::string_view a, std::string_view b) { return a.size() < b.size(); });
    std::string all(static_cast<size_t>(before - start), '\0');
    Span<char> out(all);
    for (size_t first = 0; first < texts.size();) {
        const size_t length = texts[first].size();
        size_t last = first + 1;
        while (last < texts.size() && texts[last].size() == length) ++last;
        const size_t count = last - first;
        if (count == 1) {
            std::copy(texts[first].begin(), texts[first].end(), out.begin());
        } else {
            for (size_t at = 0; at < length; ++at)
                for (size_t k = 0; k < count; ++k) out[at * count + k] = texts[first + k][at];
        }
        out = out.subspan(count * length);
        first = last;
    }
    return all;
}

std::vector<uint8_t> restored_by_length(Span<const int64_t> ends, Bytes classes) {
    struct Place {
        size_t begin;
        size_t length;
    };
    std::vector<Place> places;
    places.reserve(ends.size());
    int64_t before = 0;
    for (const int64_t end : ends) {
        if (end < before) throw std::invalid_argument("ends decrease");
        places.push_back({static_cast<size_t>(before), static_cast<size_t>(end - before)});
        before = end;
    }
    if (static_cast<uint64_t>(before) != classes.size()) throw std::invalid_argument("ends lie beyond the data");
    std::stable_sort(places.begin(), places.end(), [](Place a, Place b) { return a.length < b.length; });
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
