#include "pyramid/histogram.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "pyramid/duration_bucket.hpp"
#include "pyramid/geometry.hpp"

namespace tilescope {

namespace {

constexpr size_t kFirstSlots = 64;

TickSum ticks(int64_t first, int64_t last) { return static_cast<uint64_t>(last - first); }

constexpr NameSum nothing(int32_t name) { return {name, 0, 0, 0, 0, 0, INT64_MAX}; }

}  // namespace

void NameSum::add(const NameSum& other) {
    count += other.count;
    busy += other.busy;
    self += other.self;
    duration += other.duration;
    longest = std::max(longest, other.longest);
    shortest = std::min(shortest, other.shortest);
}

size_t NameSums::place(int32_t name) const {
    const uint64_t mixed = static_cast<uint32_t>(name) * 0x9E3779B97F4A7C15ULL;
    return static_cast<size_t>(mixed >> 32) & (slots_.size() - 1);
}

NameSum& NameSums::at(int32_t name) {
    if (last_ < sums_.size() && sums_[last_].name == name) return sums_[last_];
    if (slots_.size() <= 2 * sums_.size()) enter_all(std::max(kFirstSlots, 2 * slots_.size()));
    size_t slot = place(name);
    while (slots_[slot] != 0) {
        last_ = slots_[slot] - 1;
        if (sums_[last_].name == name) return sums_[last_];
        slot = (slot + 1) & (slots_.size() - 1);
    }
    last_ = sums_.size();
    sums_.push_back(nothing(name));
    slots_[slot] = static_cast<uint32_t>(sums_.size());
    return sums_.back();
}

void NameSums::enter_all(size_t size) {
    slots_.assign(size, 0);
    for (size_t k = 0; k < sums_.size(); ++k) {
        size_t slot = place(sums_[k].name);
        while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
        slots_[slot] = static_cast<uint32_t>(k + 1);
    }
}

NameSum& NameSums::add_start(int32_t name, int64_t duration) {
    NameSum& sum = at(name);
    ++sum.count;
    sum.duration += static_cast<uint64_t>(duration);
    sum.longest = std::max(sum.longest, duration);
    sum.shortest = std::min(sum.shortest, duration);
    if (has_buckets_) buckets_.add(static_cast<uint32_t>(last_), duration_bucket(duration), 1);
    return sum;
}

void NameSums::add(const NameSums& other) {
    std::vector<uint32_t> numbers;
    numbers.reserve(other.sums_.size());
    for (const NameSum& part : other.sums_) {
        at(part.name).add(part);
        numbers.push_back(static_cast<uint32_t>(last_));
    }
    if (has_buckets_) buckets_.add(other.buckets_, numbers);
}

void NameSums::clear() {
    sums_.clear();
    buckets_.clear();
    std::fill(slots_.begin(), slots_.end(), 0U);
}

void NameSweep::add(int64_t start, int64_t stop, NameSums& sums) {
    if (start == stop) return;  // or names that run there would have rows of nothing
    for (const auto& [name, number] : crossing_names_) sums.at(name).busy += number * ticks(start, stop);
    while (!crossing_.empty() && crossing_.top().end <= stop) {
        const Running slice = crossing_.top();
        crossing_.pop();
        sums.at(slice.name).busy -= ticks(slice.end, stop);
        const auto found = crossing_names_.find(slice.name);
        if (--found->second == 0) crossing_names_.erase(found);
    }
    for (; next_ < slices_.size() && slices_.start[next_] < stop; ++next_) {
        const int64_t first = slices_.start[next_];
        const Running slice{slices_.end(next_), slices_.name[next_]};
        sums.add_start(slice.name, slice.end - first).busy += ticks(first, std::min(slice.end, stop));
        if (slice.end > stop) {
            crossing_.push(slice);
            ++crossing_names_[slice.name];
        }
        if (slice.end == first) continue;
        pass_to(first, sums);
        while (!stack_.empty() && stack_.back().end <= slice.end) stack_.pop_back();
        stack_.push_back(slice);
    }
    pass_to(stop, sums);
}

// Gives the time from `now_` to `time` to the slices that are on top meanwhile.
void NameSweep::pass_to(int64_t time, NameSums& sums) {
    while (!stack_.empty() && stack_.back().end <= time) {
        sums.at(stack_.back().name).self += ticks(now_, stack_.back().end);
        now_ = stack_.back().end;
        stack_.pop_back();
    }
    if (!stack_.empty() && now_ < time) sums.at(stack_.back().name).self += ticks(now_, time);
    now_ = time;
}

HistogramWalk::HistogramWalk(const std::vector<SliceColumns>& tracks, std::vector<HistogramTile> tiles,
                             MemoryBudget* budget)
    : tiles_(std::move(tiles)) {
    if (tracks.size() > kTracks) throw std::invalid_argument("too many tracks");
    for (const SliceColumns& slices : tracks) sweeps_.emplace_back(slices, budget);
    if (tiles_.empty()) return;
    for (const HistogramTile& tile : tiles_) {
        if (tile.level > kMaxLevel || tile.index < 0 || tile.index > tile_at(kTimeLimit - 1, tile.level)) {
            throw std::invalid_argument("a tile begins beyond 2**61");
        }
    }
    // The sweeps begin at the first tile: nothing may lie before it.
    for (const SliceColumns& slices : tracks) {
        if (slices.size() > 0 && slices.start[0] < tile_start(tiles_[0].index, tiles_[0].level)) {
            throw std::invalid_argument("slices start before the first tile");
        }
    }
    open(tiles_[at_++], UINT32_MAX);
}

void HistogramWalk::open(const HistogramTile& tile, uint32_t tracks) {
    if (depth_ == open_.size()) open_.emplace_back();
    Open& opened = open_[depth_++];
    opened.tile = tile;
    opened.tracks = tracks;
    opened.next_child = 0;
    opened.sums.clear();
}

void HistogramWalk::sweep(uint32_t tracks, int64_t start, int64_t stop, NameSums& sums) {
    for (std::size_t k = 0; k < sweeps_.size(); ++k) {
        if ((tracks >> k & 1) != 0) sweeps_[k].add(start, stop, sums);
    }
}

bool HistogramWalk::is_next(int level, int64_t index) const {
    return at_ < tiles_.size() && tiles_[at_].level == level && tiles_[at_].index == index;
}

bool HistogramWalk::next() {
    while (depth_ > 0) {
        Open& top = open_[depth_ - 1];
        const HistogramTile& tile = top.tile;
        const uint32_t leaf_of = tile.level == 0 ? UINT32_MAX : tile.leaf_of;
        if (const uint32_t below = top.tracks & ~leaf_of; below != 0 && top.next_child < 4) {
            const int64_t child = 4 * tile.index + top.next_child++;
            if (is_next(tile.level - 1, child)) {
                open(tiles_[at_++], below);
            } else {
                sweep(below, tile_start(child, tile.level - 1), tile_start(child + 1, tile.level - 1), top.sums);
            }
            continue;
        }
        sweep(top.tracks & leaf_of, tile_start(tile.index, tile.level), tile_start(tile.index + 1, tile.level),
              top.sums);
        --depth_;
        if (depth_ > 0) open_[depth_ - 1].sums.add(top.sums);
        return true;
    }
    if (at_ < tiles_.size()) throw std::invalid_argument("tiles are not in order, or lack their parents");
    return false;
}

size_t HistogramWalk::rows_of_tile(size_t rows) const {
    const size_t names = open_[depth_].sums.sums().size();
    return names > rows ? rows + 1 : names;
}

uint64_t HistogramWalk::events() const {
    uint64_t events = 0;
    for (const NameSum& sum : open_[depth_].sums.sums()) events += sum.count;
    return events;
}

HistogramRows HistogramWalk::rows(size_t rows) const {
    const NameSums& all = open_[depth_].sums;
    const std::vector<NameSum>& sums = all.sums();
    // What they are ordered by stands side by side: a row has 100 bytes.
    struct Rank {
        TickSum busy;
        int32_t name;
        uint32_t at;
        bool operator<(const Rank& other) const { return busy != other.busy ? busy > other.busy : name < other.name; }
    };
    std::vector<Rank> order;
    order.reserve(sums.size());
    for (const NameSum& sum : sums) order.push_back({sum.busy, sum.name, static_cast<uint32_t>(order.size())});
    const size_t n = std::min(rows, sums.size());
    const auto kept = order.begin() + static_cast<std::ptrdiff_t>(n);
    if (n < order.size()) std::nth_element(order.begin(), kept, order.end());
    std::sort(order.begin(), kept);
    std::vector<uint32_t> row_of(sums.size());
    HistogramRows found;
    found.sums.reserve(n + 1);
    for (size_t k = 0; k < order.size(); ++k) {
        if (k == n) found.sums.push_back(nothing(kOtherNames));
        const uint32_t at = order[k].at;
        if (k < n) found.sums.push_back(sums[at]);
        else found.sums.back().add(sums[at]);
        row_of[at] = static_cast<uint32_t>(found.sums.size() - 1);
    }
    found.buckets = all.buckets().rows(row_of, found.sums.size());
    return found;
}

}  // namespace tilescope
