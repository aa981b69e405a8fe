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

void StepSums::add(const SteppedOperations& operations) {
    if (too_much_) return;
    const std::size_t size = operations.kind.size(), steps = starts_.size();
    if (operations.parent.size() != size || operations.duration.size() != size || operations.start.size() != size ||
        operations.ticks.size() != size ||
        (!operations.numbers.empty() && operations.numbers.size() != operations.numbered.size()))
        throw std::invalid_argument("columns of different lengths");
    const std::size_t kinds = category_of_kind_.size();
    const std::size_t first = first_step_;
    unsigned __int128 taken = taken_;
    for (std::size_t k = 0; k < size; ++k) {
        const std::int64_t start = operations.start[k], duration = operations.duration[k],
                           parent = operations.parent[k];
        const auto kind = static_cast<std::size_t>(operations.kind[k]);
        if (kind >= kinds || parent < -1 || parent >= static_cast<std::int64_t>(kinds) || duration < 0 ||
            start < last_start_)
            throw std::invalid_argument("a kind that there is not, a time below 0, or a start before the last one");
        last_start_ = start;
        taken += static_cast<std::uint64_t>(duration);
        while (first_step_ < steps && stops_[first_step_] <= start) ++first_step_;
        if (first_step_ == steps) continue;
        const auto add_part = [&](std::size_t step, std::int64_t part) {
            std::uint64_t* sums = sums_.data() + step * width_;
            sums[category_of_kind_[kind]] += static_cast<std::uint64_t>(part);
            if (parent >= 0)
                sums[category_of_kind_[static_cast<std::size_t>(parent)]] -= static_cast<std::uint64_t>(part);
        };
        const std::int64_t end = start + std::max<std::int64_t>(operations.ticks[k], 0);
        if (start >= starts_[first_step_] && end <= stops_[first_step_]) add_part(first_step_, duration);
        else each_part(first_step_, start, end, duration, add_part);
    }
    too_much_ = taken >= kMostTaken;
    taken_ = too_much_ ? kMostTaken : static_cast<std::uint64_t>(taken);
    if (!operations.numbers.empty()) add_numbered(operations, first);
}

template <typename Take>
void StepSums::each_part(std::size_t step, std::int64_t start, std::int64_t end, std::int64_t duration,
                         Take take) const {
    if (starts_[step] <= start && end <= stops_[step]) {
        take(step, duration);
        return;
    }
    const std::int64_t length = end - start;
    for (; step < starts_.size() && starts_[step] < end; ++step) {
        const std::int64_t upto = std::min(stops_[step], end) - start, after = std::max(starts_[step], start) - start;
        take(step, part_of(duration, upto, length) - part_of(duration, after, length));
    }
}

void StepSums::add_numbered(const SteppedOperations& operations, std::size_t first) {
    std::size_t reached = first;
    for (std::size_t k = 0; k < operations.numbered.size() && !too_much_; ++k) {
        const auto place = static_cast<std::size_t>(operations.numbered[k]);
        if (place >= operations.start.size() || (k > 0 && operations.numbered[k] <= operations.numbered[k - 1]))
            throw std::invalid_argument("a place that there is not, or that does not ascend");
        if (operations.numbers[k] < 0) continue;
        const std::int64_t start = operations.start[place],
                           end = start + std::max<std::int64_t>(operations.ticks[place], 0);
        while (reached < starts_.size() && stops_[reached] <= start) ++reached;
        if (reached == starts_.size()) return;
        each_part(reached, start, end, operations.duration[place], [&](std::size_t step, std::int64_t part) {
            if (listed_step.size() == most_) too_much_ = true;
            if (too_much_) return;
            listed_step.push_back(static_cast<std::int64_t>(step));
            listed_category.push_back(category_of_kind_[static_cast<std::size_t>(operations.kind[place])]);
            listed_number.push_back(operations.numbers[k]);
            listed_duration.push_back(part);
        });
    }
}

StepSums::Sums StepSums::sums() const {
    Sums out;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
        if (sums_[k] == 0) continue;
        out.step.push_back(static_cast<std::int64_t>(k / width_));
        out.category.push_back(static_cast<std::int64_t>(k % width_));
        out.own.push_back(static_cast<std::int64_t>(sums_[k]));
    }
    return out;
}

}  // namespace tilescope
