#include "columns/least_slack.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilescope {

std::vector<std::int64_t> least_slack(Span<const std::int64_t> source, Span<const std::int64_t> target,
                                      Span<const std::int64_t> wait, std::size_t nodes) {
    if (target.size() != source.size() || wait.size() != source.size())
        throw std::invalid_argument("columns of different lengths");
    std::vector<std::int64_t> slack(nodes, kEndless);
    if (nodes != 0) slack.back() = 0;
    std::int64_t last_source = kEndless;
    for (std::size_t k = source.size(); k-- > 0;) {
        if (source[k] < 0 || source[k] >= target[k] || static_cast<std::size_t>(target[k]) >= nodes)
            throw std::invalid_argument("an edge that does not lead to a later node");
        if (source[k] > last_source) throw std::invalid_argument("edges that are not in the order of their sources");
        if (wait[k] < 0) throw std::invalid_argument("a wait below 0");
        last_source = source[k];
        const std::int64_t behind = slack[static_cast<std::size_t>(target[k])];
        const std::int64_t sum = behind > kEndless - wait[k] ? kEndless : behind + wait[k];
        std::int64_t& own = slack[static_cast<std::size_t>(source[k])];
        own = std::min(own, sum);
    }
    return slack;
}

}  // namespace tilescope
