#include "prove/rollup.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

// Parts of a level are merged when they have become twice as many, but not fewer than these.
constexpr std::size_t kWorthMerging = 1 << 18;
constexpr std::size_t kLongsWorthMerging = 1024;

int64_t times_at_most(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kMostBusy : std::min(product, kMostBusy);
}

// Bins of a level that a span of ticks covers from end to end.
struct FullBins {
    FullBins(int64_t first_tick, int64_t stop_tick, int level)
        : first((first_tick + (int64_t{1} << (2 * level)) - 1) >> (2 * level)), stop(stop_tick >> (2 * level)) {}
    bool any() const { return first < stop; }
    bool has(int64_t bin) const { return first <= bin && bin < stop; }
    int64_t first, stop;
};

}  // namespace

ProveCover::ProveCover(ProveVector<Stretch>& spans, int64_t most_counted)
    : spans_(spans),
      most_counted_(most_counted),
      ending_(spans.get_allocator()),
      longest_(spans.get_allocator()),
      most_(spans.get_allocator()) {
    if (spans.size() > UINT32_MAX) throw std::length_error("more slices cover bins at a time than can be numbered");
    std::sort(spans.begin(), spans.end(), [](const Stretch& a, const Stretch& b) { return a.first < b.first; });
    ending_.reserve(spans.size());
    longest_.reserve(spans.size());
    most_.reserve(2 * spans.size());
}

bool ProveCover::go_to(int64_t bin) {
    const auto ends_later = [this](uint32_t a, uint32_t b) { return spans_[a].stop > spans_[b].stop; };
    const auto shorter = [this](uint32_t a, uint32_t b) { return spans_[a].duration < spans_[b].duration; };
    for (; next_ < spans_.size() && spans_[next_].first <= bin; ++next_) {
        const Stretch& span = spans_[next_];
        if (span.stop <= bin) continue;
        ending_.push_back(static_cast<uint32_t>(next_));
        std::push_heap(ending_.begin(), ending_.end(), ends_later);
        longest_.push_back(static_cast<uint32_t>(next_));
        std::push_heap(longest_.begin(), longest_.end(), shorter);
        change(span.name, span.slices);
    }
    while (!ending_.empty() && spans_[ending_[0]].stop <= bin) {
        change(spans_[ending_[0]].name, -spans_[ending_[0]].slices);
        std::pop_heap(ending_.begin(), ending_.end(), ends_later);
        ending_.pop_back();
    }
    if (slices_ == 0) {
        longest_.clear();
        most_.clear();
        of_name_.clear();
        return false;
    }
    while (spans_[longest_[0]].stop <= bin) {
        std::pop_heap(longest_.begin(), longest_.end(), shorter);
        longest_.pop_back();
    }
    while (!most_.empty() && most_[0].slices != std::min(slices_of(most_[0].name), most_counted_)) {
        std::pop_heap(most_.begin(), most_.end());
        most_.pop_back();
    }
    return true;
}

int64_t ProveCover::slices_of(int64_t name) const {
    const auto entry = of_name_.find(name);
    return entry == of_name_.end() ? 0 : entry->second;
}

void ProveCover::change(int64_t name, int64_t by) {
    int64_t& slices = of_name_[name];
    slices += by;
    slices_ += by;
    if (slices == 0) {
        of_name_.erase(name);
        return;
    }
    if (name < 0) return;
    most_.push_back({std::min(slices, most_counted_), name});
    std::push_heap(most_.begin(), most_.end());
}

ProveRollup::ProveRollup(const ProveTree& tree, std::size_t slot, std::size_t track, int root_level, int overview_level,
                         std::vector<std::size_t>& places, ProveMemory& memory)
    : tree_(tree),
      track_(track),
      places_(places),
      root_(root_level),
      overview_level_(overview_level),
      lowest_(root_level),
      longs_(memory) {
    for (std::size_t tile = 0; tile < tree.size(); ++tile) {
        if (tree.slot[tile] != slot) continue;
        if (levels_.empty()) {
            lowest_ = tree.level[tile];
            levels_.resize(static_cast<std::size_t>(root_ - lowest_) + 1, Level(memory));
        }
        at(tree.level[tile]).tiles.push_back(tree.index[tile]);
        if (tree.is_terminal(tile)) terminals_.push_back({tree.start(tile), tree.stop(tile), tree.level[tile], 0});
    }
    std::sort(terminals_.begin(), terminals_.end(),
              [](const Terminal& a, const Terminal& b) { return a.start < b.start; });
    for (std::size_t k = 1; k < terminals_.size(); ++k) {
        terminals_[k].run = terminals_[k - 1].run + (terminals_[k - 1].stop == terminals_[k].start ? 0 : 1);
    }
}

const ProveRollup::Terminal& ProveRollup::terminal(int64_t tick, int64_t first, int64_t stop) {
    const auto holds = [&](std::size_t k) {
        return k < terminals_.size() && terminals_[k].start <= tick && tick < terminals_[k].stop;
    };
    if (!holds(hint_)) {
        const auto after =
            std::upper_bound(terminals_.begin(), terminals_.end(), tick,
                             [](int64_t value, const Terminal& terminal) { return value < terminal.start; });
        if (after != terminals_.begin()) hint_ = static_cast<std::size_t>(after - terminals_.begin()) - 1;
        if (!holds(hint_)) {
            throw WrongTrack(track_, "an event from tick " + std::to_string(first) + " to " + std::to_string(stop) +
                                         " lies where no tile is");
        }
    }
    return terminals_[hint_];
}

void ProveRollup::add_part(int level, int64_t bin, int64_t name, int64_t busy, int64_t count, int64_t duration) {
    Level& to = at(level);
    to.parts.push_back({bin, ProvePart::lane_of(0, name), busy, count, duration});
    if (to.parts.size() > 2 * std::max(to.merged, kWorthMerging)) {
        merge_parts_of_names(to.parts, places_);
        to.merged = to.parts.size();
    }
}

void ProveRollup::add(int64_t first, int64_t stop, int64_t name, int64_t duration, int64_t count) {
    const Terminal& left = terminal(first, first, stop);
    const int left_level = left.level;
    const int64_t bin = first >> (2 * left_level), width = int64_t{1} << (2 * left_level);
    if (stop <= (bin + 1) << (2 * left_level) && stop - first < width) {  // the usual case: within one bin
        add_part(left_level, bin, name, stop - first, count, duration);
        return;
    }
    int right_level = left_level, lowest = left_level;
    if (stop > left.stop) {
        const std::size_t run = left.run;
        const Terminal& right = terminal(stop - 1, first, stop);
        if (right.run != run) {
            throw WrongTrack(track_, "an event from tick " + std::to_string(first) + " to " + std::to_string(stop) +
                                         " lies where no tile is");
        }
        right_level = right.level;
        lowest = lowest_;
    }
    longs_.push_back({first, stop, duration, 1, count, static_cast<int32_t>(name), static_cast<uint8_t>(left_level),
                      static_cast<uint8_t>(right_level), static_cast<uint8_t>(lowest)});
    if (longs_.size() > 2 * std::max(merged_longs_, kLongsWorthMerging)) merge_longs();
}

void ProveRollup::merge_longs() {
    const auto key = [](const Long& slice) { return std::make_tuple(slice.first, slice.stop, slice.name); };
    std::sort(longs_.begin(), longs_.end(), [&](const Long& a, const Long& b) { return key(a) < key(b); });
    std::size_t size = 0;
    for (const Long& slice : longs_) {
        if (size == 0 || key(longs_[size - 1]) != key(slice)) {
            longs_[size++] = slice;
            continue;
        }
        Long& same = longs_[size - 1];
        same.duration = std::max(same.duration, slice.duration);
        same.slices += slice.slices;
        same.count += slice.count;
    }
    longs_.erase(longs_.begin() + static_cast<std::ptrdiff_t>(size), longs_.end());
    merged_longs_ = size;
}

std::size_t ProveRollup::bytes_to_complete() const {
    std::size_t parts = 2 * longs_.size();  // edges
    for (const Level& level : levels_) parts += level.parts.size() + level.open.size();
    // A cover has each span in two heaps beside the span itself, and its name twice in a third.
    const std::size_t of_span = sizeof(ProveCover::Stretch) + 2 * (sizeof(uint32_t) + 2 * sizeof(int64_t));
    return longs_.size() * of_span + 2 * parts * sizeof(ProvePart);
}

void ProveRollup::sample_edges(std::vector<int64_t>& ticks) const {
    const std::size_t step = longs_.size() / 1000 + 1;
    for (std::size_t k = 0; k < longs_.size(); k += step) {
        ticks.push_back(longs_[k].first);
        ticks.push_back(longs_[k].stop);
    }
}

void ProveRollup::discard() {
    for (Level& level : levels_) {
        ProveParts(level.parts.get_allocator()).swap(level.parts);
        level.merged = 0;
    }
    ProveVector<Long>(longs_.get_allocator()).swap(longs_);
    merged_longs_ = 0;
}

// Adds what a slice has in the bins of terminal tiles in which it begins and ends, unless it covers them.
void ProveRollup::add_edges(int z, const Long& slice) {
    const int64_t from = slice.first >> (2 * z), to = (slice.stop - 1) >> (2 * z);
    const FullBins full(slice.first, slice.stop, z);
    if (z == slice.left_level) {
        if (!full.has(from)) {
            const int64_t busy = std::min(slice.stop, (from + 1) << (2 * z)) - slice.first;
            add_part(z, from, slice.name, times_at_most(busy, slice.slices), slice.count, slice.duration);
        } else if (slice.count > 0) {
            add_part(z, from, slice.name, 0, slice.count, slice.duration);
        }
    }
    if (z == slice.right_level && !(z == slice.left_level && to == from) && !full.has(to)) {
        add_part(z, to, slice.name, times_at_most(slice.stop - (to << (2 * z)), slice.slices), 0, slice.duration);
    }
}

// Adds to bins that a slice does not cover what it covers of them at the level below.
void ProveRollup::add_rest(int z, const Long& slice) {
    const FullBins below(slice.first, slice.stop, z - 1), full(slice.first, slice.stop, z);
    const int64_t from = slice.first >> (2 * z), to = (slice.stop - 1) >> (2 * z);
    const auto add = [&](int64_t bin) {
        const int64_t covered = std::min(below.stop, 4 * bin + 4) - std::max(below.first, 4 * bin);
        if (covered > 0 && !full.has(bin))
            add_part(z, bin, slice.name, times_at_most(covered << (2 * (z - 1)), slice.slices), 0, slice.duration);
    };
    if (z > slice.left_level) add(from);
    if (z > slice.right_level && (z <= slice.left_level || to != from)) add(to);
}

// The bins of a level that slices cover. Slices that add nothing above are forgotten.
ProveVector<ProveCover::Stretch> ProveRollup::spans_of(int z) {
    ProveVector<ProveCover::Stretch> spans(longs_.get_allocator());
    spans.reserve(longs_.size());
    std::size_t left = 0;
    for (const Long& slice : longs_) {
        add_edges(z, slice);
        if (z > lowest_) add_rest(z, slice);
        const FullBins full(slice.first, slice.stop, z);
        if (full.any() && z >= slice.lowest_level)
            spans.push_back({full.first, full.stop, slice.name, slice.duration, slice.slices});
        if (full.any() || z < slice.left_level || z < slice.right_level) longs_[left++] = slice;
    }
    longs_.erase(longs_.begin() + static_cast<std::ptrdiff_t>(left), longs_.end());
    return spans;
}

void ProveRollup::complete_until(int64_t until) {
    ProveParts rising(longs_.get_allocator());
    merge_longs();
    for (int z = lowest_; z <= root_ && !levels_.empty(); ++z) {
        Level& level = at(z);
        ProveVector<ProveCover::Stretch> spans = spans_of(z);
        ProveParts parts(rising.get_allocator());
        parts.swap(level.parts);
        level.merged = 0;
        parts.insert(parts.end(), level.open.begin(), level.open.end());
        parts.insert(parts.end(), rising.begin(), rising.end());
        ProveParts(parts.get_allocator()).swap(rising);
        ProveParts(parts.get_allocator()).swap(level.open);
        merge_parts_of_names(parts, places_);
        // Parts of the bin in which the batch ends stay here until that is complete.
        const int64_t stop = until >> (2 * z);
        const auto open =
            std::find_if(parts.rbegin(), parts.rend(), [&](const ProvePart& part) { return part.bin < stop; }).base();
        level.open.assign(open, parts.end());
        parts.erase(open, parts.end());
        sum_bins(z, until, parts, spans);
        for (ProvePart& part : parts) part.bin >>= 2;
        rising.swap(parts);
    }
    discard();
}

void ProveRollup::sum_bins(int z, int64_t until, const ProveParts& parts, ProveVector<ProveCover::Stretch>& spans) {
    Level& level = at(z);
    const int64_t width = int64_t{1} << (2 * z), complete = until >> (2 * z);
    ProveCover cover(spans, kMostBusy / width);
    std::size_t part = 0;
    const int64_t first_covered = spans.empty() ? INT64_MAX : spans[0].first;
    int64_t last_covered = 0;
    for (const ProveCover::Stretch& span : spans) last_covered = std::max(last_covered, span.stop);
    for (std::size_t tile = level.next_tile; tile < level.tiles.size(); ++tile) {
        const int64_t tile_first = level.tiles[tile] << 8;
        if (tile_first >= complete) break;
        const int64_t tile_stop = std::min(tile_first + 256, complete);
        // Between parts only bins that are covered matter.
        for (int64_t bin = tile_first; bin < tile_stop; ++bin) {
            const bool covered = bin >= first_covered && bin < last_covered && cover.go_to(bin);
            std::size_t last = part;
            while (last < parts.size() && parts[last].bin == bin) ++last;
            if (last == part && !covered) continue;
            const Span<const ProvePart> of_bin = Span<const ProvePart>(parts).subspan(part, last - part);
            level.done.push_back(bin_of(of_bin, bin, width, covered ? &cover : nullptr));
            if (z == overview_level_) overview_.push_back({bin, level.done.back().busy, level.done.back().name});
            part = last;
        }
        if (tile_first + 256 <= complete) level.next_tile = tile + 1;
    }
    if (part != parts.size()) {
        const int64_t tick = parts[part].bin << (2 * z);
        throw WrongTrack(track_, "an event at tick " + std::to_string(tick) + " lies where no tile of level " +
                                     std::to_string(z) + " is");
    }
}

ProveBin ProveRollup::bin_of(Span<const ProvePart> parts, int64_t bin, int64_t width, const ProveCover* cover) {
    ProveBin sum{0, bin, 0, 0, -1, 0, 0};
    int64_t busy = -1, count = 0;
    const auto offer = [&](int64_t name, int64_t name_busy, int64_t name_count) {
        const bool better = (name < 0) != (sum.name < 0) ? sum.name < 0
                            : name_busy != busy          ? name_busy > busy
                            : name_count != count        ? name_count > count
                                                         : name < sum.name;
        if (better) {
            sum.name = name;
            busy = name_busy;
            count = name_count;
        }
    };
    for (const ProvePart& part : parts) {
        sum.busy = sum_at_most(sum.busy, part.busy);
        sum.count += part.count;
        sum.longest = std::max(sum.longest, part.longest);
        const int64_t covered = cover == nullptr ? 0 : times_at_most(cover->slices_of(part.name()), width);
        offer(part.name(), sum_at_most(part.busy, covered), part.count);
    }
    if (cover != nullptr) {
        const auto [slices, name] = cover->most();
        offer(name, times_at_most(slices, width), 0);
        sum.busy = sum_at_most(sum.busy, times_at_most(cover->slices(), width));
        sum.longest = std::max(sum.longest, cover->longest());
    }
    sum.share = sum.busy > 0 ? share_of(busy, sum.busy) : share_of(count, sum.count);
    return sum;
}

void ProveRollup::check(std::size_t tile, const ProveTile& stored) {
    Level& level = at(tree_.level[tile]);
    int64_t count = 0;
    stored.bins.each([&](const ProveBin& bin) {
        count = static_cast<int64_t>(static_cast<uint64_t>(count) + static_cast<uint64_t>(bin.count));
    });
    if (count != tree_.events[tile]) {
        throw WrongTile(tile, "its bins count " + std::to_string(count) + " events, the shape record " +
                                  std::to_string(tree_.events[tile]));
    }
    std::size_t last = level.compared;
    while (last < level.done.size() && level.done[last].bin >> 8 == tree_.index[tile]) ++last;
    const ProveVector<ProveBin> expected(level.done.begin() + static_cast<std::ptrdiff_t>(level.compared),
                                         level.done.begin() + static_cast<std::ptrdiff_t>(last),
                                         level.done.get_allocator());
    compare_bins(tile, expected, stored.bins, {0, INT64_MAX});
    level.compared = last;
    if (2 * last >= level.done.size()) {
        level.done.erase(level.done.begin(), level.done.begin() + static_cast<std::ptrdiff_t>(last));
        level.compared = 0;
    }
}

}  // namespace tilescope
