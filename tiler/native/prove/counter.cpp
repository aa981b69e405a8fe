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

void ProveCounter::leave(std::size_t tile, const ProveTile& found) {
    const int z = tree_.level[tile];
    Level& level = levels_[static_cast<std::size_t>(z)];
    if (!same(found.carry, level.carry)) {
        throw WrongTile(
            tile, "the value at its start is " + text(found.carry) + ", from the samples it is " + text(level.carry));
    }
    if (tree_.is_leaf(tile)) {
        if (static_cast<int64_t>(found.samples.size()) != tree_.events[tile]) {
            throw WrongTile(tile, std::to_string(found.samples.size()) + " samples, the shape record says " +
                                      std::to_string(tree_.events[tile]));
        }
        found.samples.each([&](const ProveSample& one) { sample(tile, one); });
        return;
    }
    close(level, z);
    for (std::size_t k = 0; k < std::max(found.counter_bins.size(), level.bins.size()); ++k) {
        const int64_t is = k < found.counter_bins.size() ? found.counter_bins[k].bin : 256;
        const int64_t should = k < level.bins.size() ? level.bins[k].bin & 255 : 256;
        if (is != should) {
            throw WrongTile(tile,
                            "bin " + std::to_string(std::min(is, should)) + " is missing, or should not be there");
        }
        check_bin(tile, found.counter_bins[k], level.bins[k], z);
    }
    bins_ += static_cast<int64_t>(level.bins.size());
    level.bins.clear();
}

void ProveCounter::sample(std::size_t tile, const ProveSample& one) {
    if (one.ordinal != samples_) {
        throw WrongTile(tile, "sample " + std::to_string(one.ordinal) + " stands where sample " +
                                  std::to_string(samples_) + " should");
    }
    if (one.time < tree_.start(tile) || one.time >= tree_.stop(tile) || one.time < last_time_ || one.time > end_) {
        throw WrongTile(tile, "sample " + std::to_string(one.ordinal) + " lies outside the tile or out of order");
    }
    for (int z = tree_.level[tile] + 1; z <= root_; ++z) {
        Level& level = levels_[static_cast<std::size_t>(z)];
        const int64_t bin = one.time >> (2 * z);
        if (level.bins.empty() || level.bins.back().bin != bin) {
            close(level, z);
            const int64_t begun = samples_ > 0 ? bin << (2 * z) : one.time;
            const double before = samples_ > 0 ? value_ : one.value;
            const double weighted = one.time > begun ? value_ * static_cast<double>(one.time - begun) : 0.0;
            level.bins.push_back({bin, begun, 0, before, one.value, one.value, one.value, one.value, weighted});
        } else {
            level.bins.back().weighted += value_ * static_cast<double>(one.time - last_time_);
        }
        Bin& at = level.bins.back();
        ++at.n;
        at.last = one.value;
        at.min = lesser(at.min, one.value);
        at.max = greater(at.max, one.value);
        if (std::isnan(one.value)) at.min = at.max = one.value;
    }
    const int64_t peak = one.time >> (2 * overview_level_);
    if (peaks_.empty() || peaks_.back().bin != peak) peaks_.push_back({peak, one.value});
    peaks_.back().value = greater(peaks_.back().value, one.value);
    if (std::isnan(one.value)) peaks_.back().value = one.value;
    least_ = samples_ == 0 || std::isnan(one.value) ? one.value : lesser(least_, one.value);
    greatest_ = samples_ == 0 || std::isnan(one.value) ? one.value : greater(greatest_, one.value);
    value_ = one.value;
    last_time_ = one.time;
    ++samples_;
}

// Adds what is in force from the last sample to the end of the last bin of a level, from its weighted sum makes the mean.
void ProveCounter::close(Level& level, int z) const {
    if (level.bins.empty()) return;
    Bin& bin = level.bins.back();
    const int64_t stop = (bin.bin + 1) << (2 * z);
    bin.weighted += value_ * static_cast<double>(stop - last_time_);
}

void ProveCounter::check_bin(std::size_t tile, const ProveCounterBin& found, const Bin& expected, int z) {
    const auto fail = [&](const char* column, const std::string& is, const std::string& should) {
        throw WrongTile(tile, "bin " + std::to_string(found.bin) + ": " + column + " is " + is +
                                  ", from the samples it is " + should);
    };
    if (found.n != expected.n) fail("n", std::to_string(found.n), std::to_string(expected.n));
    if (!same(found.first, expected.first)) fail("first", text(found.first), text(expected.first));
    if (!same(found.last, expected.last)) fail("last", text(found.last), text(expected.last));
    if (!same(found.min, expected.min) && !std::isnan(expected.min)) fail("min", text(found.min), text(expected.min));
    if (!same(found.max, expected.max) && !std::isnan(expected.max)) fail("max", text(found.max), text(expected.max));
    const int64_t stop = (expected.bin + 1) << (2 * z);
    const double mean = expected.weighted / static_cast<double>(stop - expected.begun);
    const double scale = std::max({std::fabs(expected.min), std::fabs(expected.max), std::fabs(expected.before)});
    if (std::isfinite(mean) && !(std::fabs(found.mean - mean) <= kMeanTolerance * scale))
        fail("mean", text(found.mean), text(mean));
}

}  // namespace tilescope
