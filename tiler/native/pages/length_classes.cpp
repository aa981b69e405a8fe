#include "pages/length_classes.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace tilescope {

void transpose_by_length(const int64_t* ends, size_t n, int64_t start, const uint8_t* data, size_t size, uint8_t* out) {
    struct Text {
        size_t length;
        const uint8_t* data;
    };
    std::vector<Text> texts;
    texts.reserve(n);
    int64_t before = start;
    if (start < 0) throw std::invalid_argument("ends decrease");
    for (size_t k = 0; k < n; ++k) {
        if (ends[k] < before) throw std::invalid_argument("ends decrease");
        if (ends[k] > static_cast<int64_t>(size)) throw std::invalid_argument("ends lie beyond the data");
        texts.push_back({static_cast<size_t>(ends[k] - before), data + before});
        before = ends[k];
    }
    std::stable_sort(texts.begin(), texts.end(), [](const Text& a, const Text& b) { return a.length < b.length; });
    for (size_t first = 0; first < n;) {
        const size_t length = texts[first].length;
        size_t last = first + 1;
        while (last < n && texts[last].length == length) ++last;
        const size_t count = last - first;
        if (count == 1) {
            if (length > 0) std::memcpy(out, texts[first].data, length);
        } else {
            for (size_t at = 0; at < length; ++at)
                for (size_t k = 0; k < count; ++k) out[at * count + k] = texts[first + k].data[at];
        }
        out += count * length;
        first = last;
    }
}

}  // namespace tilescope
