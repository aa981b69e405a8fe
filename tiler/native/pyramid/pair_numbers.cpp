#include "pyramid/pair_numbers.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

namespace {

// With so many slices for each name that there could be, it is not worth looking for those that there are.
constexpr std::size_t kSlicesEach = 16;

}  // namespace

PairNumbers::PairNumbers(const std::vector<SliceColumns>& tracks, const LocalNames& names, uint32_t wanted,
                         std::size_t most)
    : names_(&names), group_of_(tracks.size(), 0), groups_(1) {
    for (std::size_t track = 0; track < tracks.size(); ++track) {
        if ((wanted >> track & 1) == 0) continue;
        if (apart_ != 0 && size() >= most) break;
        apart_ |= uint32_t{1} << track;
        group_of_[track] = static_cast<uint8_t>(groups_.size());
        groups_.emplace_back();
        number_names(tracks, group_of_[track]);
    }
    number_names(tracks, 0);
    order_by_name();
}

PairNumbers::OfTrack PairNumbers::of_track(std::size_t track) const {
    const Group& group = groups_[group_of_[track]];
    return {*names_, group.numbers.data(), group.first_name};
}

void PairNumbers::number_names(const std::vector<SliceColumns>& tracks, std::size_t number) {
    Group& group = groups_[number];
    group.first_pair = group.stop_pair = static_cast<uint32_t>(size());
    int32_t lowest = INT32_MAX, highest = INT32_MIN;
    std::size_t slices = 0;
    for (std::size_t track = 0; track < tracks.size(); ++track) {
        if (group_of_[track] != number) continue;
        slices += tracks[track].size();
        for (const int32_t name : tracks[track].name) {
            lowest = std::min(lowest, name);
            highest = std::max(highest, name);
        }
    }
    if (lowest > highest) return;
    group.first_name = names_->number(lowest);
    const std::size_t n = names_->number(highest) - group.first_name + 1;
    const bool takes_all = n < slices / kSlicesEach;
    std::vector<uint8_t> has(n, takes_all ? 1 : 0);
    for (std::size_t track = 0; !takes_all && track < tracks.size(); ++track) {
        if (group_of_[track] != number) continue;
        for (const int32_t name : tracks[track].name) has[names_->number(name) - group.first_name] = 1;
    }
    for (std::size_t k = 0; k < n; ++k) {
        group.numbers.push_back(static_cast<uint32_t>(size()));
        if (has[k] != 0) names_of_.push_back(names_->name(group.first_name + static_cast<uint32_t>(k)));
    }
    group.stop_pair = static_cast<uint32_t>(size());
}

// Dealt out by name: those of one name stay in the order of their tracks.
void PairNumbers::order_by_name() {
    std::vector<uint32_t> next(names_->size(), 0);
    for (const int32_t name : names_of_) ++next[names_->number(name)];
    uint32_t before = 0;
    for (uint32_t& count : next) before += std::exchange(count, before);
    for (const int32_t name : names_of_) by_name_.push_back(next[names_->number(name)]++);
}

}  // namespace tilescope
