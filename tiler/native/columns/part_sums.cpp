#include "columns/part_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

constexpr std::uint64_t kMostTaken = std::uint64_t{1} << 62;

bool is_code(std::uint8_t code, std::size_t codes) { return code < codes; }

}  // namespace

StepPartSums::StepPartSums(std::vector<std::uint8_t> code_of_kind, std::size_t codes, std::size_t windows,
                           std::uint8_t listed)
    : code_of_kind_(std::move(code_of_kind)), codes_(codes), windows_(windows), listed_(listed) {
    if (!std::all_of(code_of_kind_.begin(), code_of_kind_.end(), [codes](auto code) { return is_code(code, codes); }))
        throw std::invalid_argument("a code that there is not");
    sums_.resize(codes * windows);
}

void StepPartSums::add(const PlacedOperations& operations, const OrdinalWindows& windows,
                       Span<const std::int64_t> left_out) {
    const std::size_t size = operations.kind.size();
    if (operations.parent.size() != size || operations.duration.size() != size || windows.first.size() != windows_ ||
        windows.last.size() != windows_ ||
        (!operations.numbers.empty() && operations.numbers.size() != operations.numbered.size()))
        throw std::invalid_argument("columns of different lengths");
    const auto kinds = static_cast<std::int64_t>(code_of_kind_.size());
    for (std::size_t k = 0; k < size; ++k) {
        if (operations.kind[k] < 0 || operations.kind[k] >= kinds || operations.parent[k] < -1 ||
            operations.parent[k] >= kinds || operations.duration[k] < 0)
            throw std::invalid_argument("a kind that there is not, or a time below 0");
        taken_ += static_cast<std::uint64_t>(operations.duration[k]);
        if (taken_ >= kMostTaken) throw std::overflow_error("times that are too long together");
    }
    const std::int64_t stop = operations.first + static_cast<std::int64_t>(size);
    auto window = static_cast<std::size_t>(
        std::upper_bound(windows.last.begin(), windows.last.end(), operations.first) - windows.last.begin());
    for (; window < windows_ && windows.first[window] < stop; ++window) {
        const auto begin =
            static_cast<std::size_t>(std::max<std::int64_t>(windows.first[window] - operations.first, 0));
        const std::int64_t last = std::min(windows.last[window], stop) - operations.first;
        if (last <= static_cast<std::int64_t>(begin)) continue;
        const auto end = static_cast<std::size_t>(last);
        std::size_t position = begin;
        const auto* cut =
            std::lower_bound(left_out.begin(), left_out.end(), operations.first + static_cast<std::int64_t>(position));
        for (; cut != left_out.end() && *cut - operations.first < last; ++cut) {
            const auto place = static_cast<std::size_t>(*cut - operations.first);
            add_range(operations, position, std::max(position, place), window);
            position = std::max(position, place + 1);
        }
        add_range(operations, position, end, window);
    }
}

void StepPartSums::add_range(const PlacedOperations& operations, std::size_t begin, std::size_t end,
                             std::size_t window) {
    std::int64_t* sums = sums_.data() + window * codes_;
    for (std::size_t k = begin; k < end; ++k) {
        sums[code_of_kind_[static_cast<std::size_t>(operations.kind[k])]] += operations.duration[k];
        if (operations.parent[k] >= 0)
            sums[code_of_kind_[static_cast<std::size_t>(operations.parent[k])]] -= operations.duration[k];
    }
    if (operations.numbers.empty()) return;
    const auto* next =
        std::lower_bound(operations.numbered.begin(), operations.numbered.end(), static_cast<std::int64_t>(begin));
    for (; next != operations.numbered.end() && *next < static_cast<std::int64_t>(end); ++next) {
        const auto place = static_cast<std::size_t>(*next);
        const std::int64_t number = operations.numbers[static_cast<std::size_t>(next - operations.numbered.begin())];
        if (number < 0 || code_of_kind_[static_cast<std::size_t>(operations.kind[place])] != listed_) continue;
        listed_window.push_back(static_cast<std::int64_t>(window));
        listed_number.push_back(number);
        listed_duration.push_back(operations.duration[place]);
    }
}

}  // namespace tilescope
