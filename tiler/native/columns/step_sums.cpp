#include "columns/step_sums.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tilescope {

namespace {

constexpr std::uint64_t kMostTaken = std::uint64_t{1} << 62;

// The part of a duration that `ticks` of `length` have, so that parts add up.
std::int64_t part_of(std::int64_t duration, std::int64_t ticks, std::int64_t length) {
    return static_cast<std::int64_t>(static_cast<__int128>(duration) * ticks / length);
}

}  // namespace

StepSums::StepSums(std::vector<std::int64_t> starts, std::vector<std::int64_t> stops, std::size_t most)
    : starts_(std::move(starts)), stops_(std::move(stops)), most_(most) {
    if (starts_.size() != stops_.size()) throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < starts_.size(); ++k) {
        if (stops_[k] <= starts_[k] || (k > 0 && starts_[k] < stops_[k - 1]))
            throw std::invalid_argument("steps that share time, or take none");
    }
}

void StepSums::add_kinds(Span<const std::int64_t> metadata, Span<const std::int32_t> text_of) {
    for (const std::int64_t number : metadata) {
        const bool is_known = number >= 0 && static_cast<std::uint64_t>(number) < text_of.size();
        const std::int32_t text = is_known ? text_of[static_cast<std::size_t>(number)] : 0;
        if (text < 0) throw std::invalid_argument("a text below 0");
        if (static_cast<std::size_t>(text) >= category_of_text_.size())
            category_of_text_.resize(static_cast<std::size_t>(text) + 1, -1);
        std::int32_t& category = category_of_text_[static_cast<std::size_t>(text)];
        if (category < 0) {
            category = static_cast<std::int32_t>(texts_.size());
            texts_.push_back(text);
        }
        category_of_kind_.push_back(category);
    }
    const std::size_t categories = texts_.size();
    if (categories <= width_ || too_much_) return;
    if (categories * starts_.size() > most_) {
        too_much_ = true;
        return;
    }
    const std::size_t width =
        std::min(std::max(categories, 2 * width_), most_ / std::max<std::size_t>(starts_.size(), 1));
    std::vector<std::uint64_t> wider(starts_.size() * width);
    for (std::size_t k = 0; k < sums_.size(); ++k) wider[k / width_ * width + k % width_] = sums_[k];
    sums_ = std::move(wider);
    width_ = width;
}

void StepSums::add(const SteppedOperations& of) {
    if (too_much_) return;
    const std::size_t size = of.kind.size(), steps = starts_.size();
    if (of.parent.size() != size || of.duration.size() != size || of.start.size() != size || of.ticks.size() != size ||
        (!of.numbers.empty() && of.numbers.size() != of.told.size()))
        throw std::invalid_argument("columns of different lengths");
    const std::size_t kinds = category_of_kind_.size();
    const std::size_t first = at_;
    unsigned __int128 taken = taken_;
    for (std::size_t k = 0; k < size; ++k) {
        const std::int64_t start = of.start[k], duration = of.duration[k], parent = of.parent[k];
        const auto kind = static_cast<std::size_t>(of.kind[k]);
        if (kind >= kinds || parent < -1 || parent >= static_cast<std::int64_t>(kinds) || duration < 0 ||
            start < last_start_)
            throw std::invalid_argument("a kind that there is not, a time below 0, or a start before the last one");
        last_start_ = start;
        taken += static_cast<std::uint64_t>(duration);
        while (at_ < steps && stops_[at_] <= start) ++at_;
        if (at_ == steps) continue;
        const auto add_part = [&](std::size_t step, std::int64_t part) {
            std::uint64_t* sums = sums_.data() + step * width_;
            sums[category_of_kind_[kind]] += static_cast<std::uint64_t>(part);
            if (parent >= 0)
                sums[category_of_kind_[static_cast<std::size_t>(parent)]] -= static_cast<std::uint64_t>(part);
        };
        const std::int64_t end = start + std::max<std::int64_t>(of.ticks[k], 0);
        if (start >= starts_[at_] && end <= stops_[at_]) add_part(at_, duration);
        else each_part(at_, start, end, duration, add_part);
    }
    too_much_ = taken >= kMostTaken;
    taken_ = too_much_ ? kMostTaken : static_cast<std::uint64_t>(taken);
    if (!of.numbers.empty()) add_told(of, first);
}

template <typename Take>
void StepSums::each_part(std::size_t at, std::int64_t start, std::int64_t end, std::int64_t duration, Take take) const {
    if (starts_[at] <= start && end <= stops_[at]) {
        take(at, duration);
        return;
    }
    const std::int64_t length = end - start;
    for (; at < starts_.size() && starts_[at] < end; ++at) {
        const std::int64_t upto = std::min(stops_[at], end) - start, after = std::max(starts_[at], start) - start;
        take(at, part_of(duration, upto, length) - part_of(duration, after, length));
    }
}

void StepSums::add_told(const SteppedOperations& of, std::size_t first) {
    std::size_t at = first;
    for (std::size_t k = 0; k < of.told.size() && !too_much_; ++k) {
        const auto place = static_cast<std::size_t>(of.told[k]);
        if (place >= of.start.size() || (k > 0 && of.told[k] <= of.told[k - 1]))
            throw std::invalid_argument("a place that there is not, or that does not ascend");
        if (of.numbers[k] < 0) continue;
        const std::int64_t start = of.start[place], end = start + std::max<std::int64_t>(of.ticks[place], 0);
        while (at < starts_.size() && stops_[at] <= start) ++at;
        if (at == starts_.size()) return;
        each_part(at, start, end, of.duration[place], [&](std::size_t step, std::int64_t part) {
            if (told_step.size() == most_) too_much_ = true;
            if (too_much_) return;
            told_step.push_back(static_cast<std::int64_t>(step));
            told_category.push_back(category_of_kind_[static_cast<std::size_t>(of.kind[place])]);
            told_number.push_back(of.numbers[k]);
            told_duration.push_back(part);
        });
    }
}

StepSums::Sums StepSums::sums() const {
    Sums found;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
        if (sums_[k] == 0) continue;
        found.step.push_back(static_cast<std::int64_t>(k / width_));
        found.category.push_back(static_cast<std::int64_t>(k % width_));
        found.own.push_back(static_cast<std::int64_t>(sums_[k]));
    }
    return found;
}

}  // namespace tilescope
