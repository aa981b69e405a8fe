#include "prove/counter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

// A mean is a sum of floating-point products: the order of summation shows in the last digits.
constexpr double kMeanTolerance = 1e-9;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Once a value is no number, so are the least and the greatest.
double lesser(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }

std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.17g", value);
    return buffer;
}

}  // namespace

void ProveCounter::enter(std::size_t tile) {
    Level& level = levels_[tree_.level[tile]];
    level.carry = value_;
    level.bins.clear();
}

void ProveCounter::leave(std::size_t tile, const ProveTile& stored) {
    const int z = tree_.level[tile];
    Level& level = levels_[static_cast<std::size_t>(z)];
    if (!same(stored.carry, level.carry)) {
        throw WrongTile(
            tile, "the value at its start is " + text(stored.carry) + ", from the samples it is " + text(level.carry));
    }
    if (tree_.is_leaf(tile)) {
        if (static_cast<int64_t>(stored.samples.size()) != tree_.events[tile]) {
            throw WrongTile(tile, std::to_string(stored.samples.size()) + " samples, the shape record says " +
                                      std::to_string(tree_.events[tile]));
        }
        stored.samples.each([&](const ProveSample& stored_sample) { sample(tile, stored_sample); });
        return;
    }
    close(level, z);
    for (std::size_t k = 0; k < std::max(stored.counter_bins.size(), level.bins.size()); ++k) {
        const int64_t is = k < stored.counter_bins.size() ? stored.counter_bins[k].bin : 256;
        const int64_t should = k < level.bins.size() ? level.bins[k].bin & 255 : 256;
        if (is != should) {
            throw WrongTile(tile,
                            "bin " + std::to_string(std::min(is, should)) + " is missing, or should not be there");
        }
        check_bin(tile, stored.counter_bins[k], level.bins[k], z);
    }
    bins_ += static_cast<int64_t>(level.bins.size());
    level.bins.clear();
}

void ProveCounter::sample(std::size_t tile, const ProveSample& stored) {
    if (stored.ordinal != samples_) {
        throw WrongTile(tile, "sample " + std::to_string(stored.ordinal) + " stands where sample " +
                                  std::to_string(samples_) + " should");
    }
    if (stored.time < tree_.start(tile) || stored.time >= tree_.stop(tile) || stored.time < last_time_ ||
        stored.time > end_) {
        throw WrongTile(tile, "sample " + std::to_string(stored.ordinal) + " lies outside the tile or out of order");
    }
    for (int z = tree_.level[tile] + 1; z <= root_; ++z) {
        Level& level = levels_[static_cast<std::size_t>(z)];
        const int64_t bin = stored.time >> (2 * z);
        if (level.bins.empty() || level.bins.back().bin != bin) {
            close(level, z);
            const int64_t begun = samples_ > 0 ? bin << (2 * z) : stored.time;
            const double before = samples_ > 0 ? value_ : stored.value;
            const double weighted = stored.time > begun ? value_ * static_cast<double>(stored.time - begun) : 0.0;
            level.bins.push_back(
                {bin, begun, 0, before, stored.value, stored.value, stored.value, stored.value, weighted});
        } else {
            level.bins.back().weighted += value_ * static_cast<double>(stored.time - last_time_);
        }
        Bin& current = level.bins.back();
        ++current.n;
        current.last = stored.value;
        current.min = lesser(current.min, stored.value);
        current.max = greater(current.max, stored.value);
        if (std::isnan(stored.value)) current.min = current.max = stored.value;
    }
    const int64_t peak = stored.time >> (2 * overview_level_);
    if (peaks_.empty() || peaks_.back().bin != peak) peaks_.push_back({peak, stored.value});
    peaks_.back().value = greater(peaks_.back().value, stored.value);
    if (std::isnan(stored.value)) peaks_.back().value = stored.value;
    least_ = samples_ == 0 || std::isnan(stored.value) ? stored.value : lesser(least_, stored.value);
    greatest_ = samples_ == 0 || std::isnan(stored.value) ? stored.value : greater(greatest_, stored.value);
    value_ = stored.value;
    last_time_ = stored.time;
    ++samples_;
}

// Adds what is in force from the last sample to the end of the last bin of a level, from its weighted sum makes the mean.
void ProveCounter::close(Level& level, int z) const {
    if (level.bins.empty()) return;
    Bin& bin = level.bins.back();
    const int64_t stop = (bin.bin + 1) << (2 * z);
    bin.weighted += value_ * static_cast<double>(stop - last_time_);
}

void ProveCounter::check_bin(std::size_t tile, const ProveCounterBin& stored, const Bin& expected, int z) {
    const auto fail = [&](const char* column, const std::string& is, const std::string& should) {
        throw WrongTile(tile, "bin " + std::to_string(stored.bin) + ": " + column + " is " + is +
                                  ", from the samples it is " + should);
    };
    if (stored.n != expected.n) fail("n", std::to_string(stored.n), std::to_string(expected.n));
    if (!same(stored.first, expected.first)) fail("first", text(stored.first), text(expected.first));
    if (!same(stored.last, expected.last)) fail("last", text(stored.last), text(expected.last));
    if (!same(stored.min, expected.min) && !std::isnan(expected.min)) fail("min", text(stored.min), text(expected.min));
    if (!same(stored.max, expected.max) && !std::isnan(expected.max)) fail("max", text(stored.max), text(expected.max));
    const int64_t stop = (expected.bin + 1) << (2 * z);
    const double mean = expected.weighted / static_cast<double>(stop - expected.begun);
    const double scale = std::max({std::fabs(expected.min), std::fabs(expected.max), std::fabs(expected.before)});
    if (std::isfinite(mean) && !(std::fabs(stored.mean - mean) <= kMeanTolerance * scale))
        fail("mean", text(stored.mean), text(mean));
}

}  // namespace tilescope
