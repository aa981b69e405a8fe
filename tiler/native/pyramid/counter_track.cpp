#include "pyramid/counter_track.hpp"

#include <algorithm>
#include <limits>

#include "pyramid/geometry.hpp"

namespace tilescope {

namespace {

constexpr size_t kLeafSamples = 1024;
constexpr size_t kLeafSamplesAtMost = 8192;
constexpr size_t kWorthwhileReduction = 3;

}  // namespace

CounterTrack::CounterTrack(const SampleColumns& samples, int root_level) : samples_(samples) {
    if (samples_.size() > 0) descend(root_level, 0, 0, samples_.size());
}

size_t CounterTrack::count_bins(int level, size_t first, size_t last) const {
    size_t bins = 0;
    int64_t seen = -1;
    for (size_t k = first; k < last; ++k) {
        const int64_t bin = bin_at(samples_.time[k], level);
        bins += bin != seen;
        seen = bin;
    }
    return bins;
}

void CounterTrack::descend(int level, int64_t index, size_t first, size_t last) {
    const size_t n = last - first;
    const bool leaf = level == 0 || n <= kLeafSamples ||
                      (n <= kLeafSamplesAtMost && count_bins(level, first, last) * kWorthwhileReduction > n);
    tiles_.push_back({index, first, last, 0, static_cast<uint8_t>(level), leaf ? kLeaf : uint8_t{0}});
    if (leaf) return;
    for (int64_t child = 4 * index; child < 4 * index + 4; ++child) {
        const int64_t stop = tile_start(child + 1, level - 1);
        const size_t child_last =
            static_cast<size_t>(std::lower_bound(samples_.time.begin() + first, samples_.time.begin() + last, stop) -
                                samples_.time.begin());
        if (child_last > first) descend(level - 1, child, first, child_last);
        first = child_last;
    }
}

void CounterTrack::append(const Tile& tile, PageColumns& page) const {
    page.carry.push_back(tile.first == 0 ? std::numeric_limits<double>::quiet_NaN() : samples_.value[tile.first - 1]);
    page.n_slices.push_back(0);
    page.n_bins.push_back(0);
    if ((tile.flags & kLeaf) == 0) {
        page.n_samples.push_back(0);
        append_bins(tile, page);
        return;
    }
    page.n_counter_bins.push_back(0);
    page.n_samples.push_back(static_cast<int64_t>(tile.last - tile.first));
    const size_t n = tile.last - tile.first;
    page.count_items(n);
    const auto time = samples_.time.subspan(tile.first, n);
    const auto value = samples_.value.subspan(tile.first, n);
    page.time.insert(page.time.end(), time.begin(), time.end());
    page.value.insert(page.value.end(), value.begin(), value.end());
    append_numbers(page.sample_ordinal, {static_cast<int64_t>(tile.first), n});
}

void CounterTrack::append_bins(const Tile& tile, PageColumns& page) const {
    const size_t before = page.counter_bin.size();
    for (size_t k = tile.first; k < tile.last;) {
        const int64_t bin = bin_at(samples_.time[k], tile.level);
        const int64_t from = bin_start(bin, tile.level);
        const int64_t to = bin_start(bin + 1, tile.level);
        const size_t first = k;
        double low = samples_.value[k];
        double high = low;
        double weighted =
            first == 0 ? 0.0 : samples_.value[first - 1] * static_cast<double>(samples_.time[first] - from);
        const double covered = static_cast<double>(to - (first == 0 ? samples_.time[first] : from));
        for (; k < tile.last && samples_.time[k] < to; ++k) {
            const double value = samples_.value[k];
            low = std::min(low, value);
            high = std::max(high, value);
            const int64_t until = k + 1 < samples_.size() ? std::min(samples_.time[k + 1], to) : to;
            weighted += value * static_cast<double>(until - samples_.time[k]);
        }
        page.counter_bin.push_back(bin % kBinsPerTile);
        page.n.push_back(static_cast<int64_t>(k - first));
        page.first.push_back(samples_.value[first]);
        page.last.push_back(samples_.value[k - 1]);
        page.min.push_back(low);
        page.max.push_back(high);
        page.mean.push_back(weighted / covered);
    }
    page.n_counter_bins.push_back(static_cast<int64_t>(page.counter_bin.size() - before));
}

size_t CounterTrack::weight(const Tile& tile) const {
    const size_t n = tile.last - tile.first;
    return 1 + ((tile.flags & kLeaf) != 0 ? n : 2 * std::min<size_t>(n, kBinsPerTile));
}

}  // namespace tilescope
