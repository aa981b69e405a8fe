#include "search/joined_texts.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace tilescope {

std::vector<int64_t> texts_with(std::string_view joined, Span<const int64_t> ends, std::string_view wanted) {
    for (std::size_t k = 0; k < ends.size(); ++k) {
        if (ends[k] < (k == 0 ? 0 : ends[k - 1] + 1) || static_cast<std::size_t>(ends[k]) >= joined.size()) {
            throw std::invalid_argument("texts do not end there");
        }
    }
    std::vector<int64_t> indexes;
    const std::boyer_moore_horspool_searcher searcher(wanted.begin(), wanted.end());
    const char* next = joined.begin();
    const int64_t* text = ends.begin();
    while (true) {
        const char* const match = std::search(next, joined.end(), searcher);
        if (match == joined.end()) return indexes;
        text = std::lower_bound(text, ends.end(), match - joined.begin() + static_cast<int64_t>(wanted.size()));
        if (text == ends.end()) return indexes;
        indexes.push_back(text - ends.begin());
        next = joined.begin() + *text + 1;
    }
}

}  // namespace tilescope
