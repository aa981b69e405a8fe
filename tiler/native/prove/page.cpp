#include "prove/page.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "prove/failure.hpp"

namespace tilescope {

namespace {

enum ColumnNumber : unsigned {
    kIndex = 0,
    kSlot = 1,
    kTileFlags = 2,
    kSlices = 3,
    kBins = 4,
    kCounterBins = 5,
    kSamples = 6,
    kCarry = 7,
    kStart = 16,
    kBin = 32,
    kLongestMinusBusy = 38,
    kBusyResidual = 39,
    kCounterBin = 48,
    kTime = 64,
};

constexpr unsigned kPrecisionBits = 8;
constexpr std::size_t kChunk = 4096;  // bins that are looked at at a time
constexpr int64_t kMostRows = int64_t{1} << 48;

double as_double(int64_t bits) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t wrapping_sum(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

uint64_t magnitude(int64_t value) {
    return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
}

template <typename Item, typename Value>
void fill(ProveColumn& column, std::vector<Item>& items, Value Item::* member) {
    std::array<int64_t, kChunk> values;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
    for (std::size_t done = 0; done < items.size(); done += kChunk) {
        const std::size_t n = std::min(kChunk, items.size() - done);
        column.read(Span<int64_t>(values).first(n));
        for (std::size_t k = 0; k < n; ++k) {
            if constexpr (std::is_same_v<Value, double>) {
                items[done + k].*member = as_double(values[k]);
            } else {
                items[done + k].*member = values[k];
            }
        }
    }
}

std::size_t total(const std::vector<int64_t>& counts, const char* what) {
    uint64_t sum = 0;
    for (const int64_t count : counts) {
        if (count < 0 || count > std::numeric_limits<uint32_t>::max())
            throw WrongRecord(std::string("column ") + what + " of a page is damaged");
        sum += static_cast<uint64_t>(count);
    }
    return sum;
}

}  // namespace

void read_items(ProveSliceColumns& columns, std::vector<ProveSlice>& out) {
    fill(columns[0], out, &ProveSlice::start);
    fill(columns[1], out, &ProveSlice::duration);
    fill(columns[2], out, &ProveSlice::row);
    fill(columns[3], out, &ProveSlice::name);
    fill(columns[4], out, &ProveSlice::ordinal);
    fill(columns[5], out, &ProveSlice::flags);
}

void read_items(ProveBinColumns& columns, std::vector<ProveBin>& out) {
    fill(columns[0], out, &ProveBin::bin);
    fill(columns[1], out, &ProveBin::row);
    fill(columns[2], out, &ProveBin::count);
    fill(columns[3], out, &ProveBin::longest);  // the busy time as the page has it
    fill(columns[4], out, &ProveBin::name);
    fill(columns[5], out, &ProveBin::share);
    fill(columns[6], out, &ProveBin::busy);
    for (ProveBin& bin : out) bin.busy = wrapping_sum(bin.busy, bin.longest);
    fill(columns[7], out, &ProveBin::longest);
    for (ProveBin& bin : out) bin.longest = wrapping_sum(bin.longest, bin.busy);
}

void read_items(ProveCounterBinColumns& columns, std::vector<ProveCounterBin>& out) {
    fill(columns[0], out, &ProveCounterBin::bin);
    fill(columns[1], out, &ProveCounterBin::n);
    fill(columns[2], out, &ProveCounterBin::first);
    fill(columns[3], out, &ProveCounterBin::last);
    fill(columns[4], out, &ProveCounterBin::min);
    fill(columns[5], out, &ProveCounterBin::max);
    fill(columns[6], out, &ProveCounterBin::mean);
}

void read_items(ProveSampleColumns& columns, std::vector<ProveSample>& out) {
    fill(columns[0], out, &ProveSample::time);
    fill(columns[1], out, &ProveSample::value);
    fill(columns[2], out, &ProveSample::ordinal);
}

ProvePage::ProvePage(const ProveTree& tree, std::size_t number, ProvePageBytes bytes)
    : tree_(tree), number_(number), first_(tree.page_first[number]), bytes_(std::move(bytes)) {
    try {
        begin();
    } catch (const WrongRecord& error) {
        throw WrongTile(first_, std::string("its page is damaged: ") + error.what());
    }
    check_rounding();
}

void ProvePage::begin() {
    const ProveContainer page(bytes_.page, "TSPG");
    read_counts(page);
    const std::size_t slices = total(n_slices_, "n_slices"), bins = total(n_bins_, "n_bins");
    const std::size_t counter_bins = total(n_counter_bins_, "n_counter_bins"), samples = total(n_samples_, "n_samples");
    for (unsigned k = 0; k < 6; ++k) slice_[k] = page.column(kStart + k, slices);
    for (unsigned k = 0; k < 6; ++k) bin_[k] = page.column(kBin + k, bins);
    for (unsigned k = 0; k < 7; ++k) counter_bin_[k] = page.column(kCounterBin + k, counter_bins);
    for (unsigned k = 0; k < 3; ++k) sample_[k] = page.column(kTime + k, samples);
    if (bytes_.has_residual != (bins > 0)) {
        throw WrongTile(first_, "its page has a residual without bins, or bins without a residual");
    }
    if (!bytes_.has_residual) return;
    const ProveContainer residual(bytes_.residual, "TSRD");
    if (residual.level() != level_ || residual.tiles() != page.tiles() || residual.block() != page.block()) {
        throw WrongRecord("a residual is not that of its page");
    }
    bin_[6] = residual.column(kBusyResidual, bins);
    bin_[7] = residual.column(kLongestMinusBusy, bins);
}

void ProvePage::read_counts(const ProveContainer& page) {
    const std::size_t n = tree_.page_stop(number_) - first_;
    level_ = page.level();
    if (page.block() != tree_.block || page.level() != tree_.level[first_] || page.tiles() != n) {
        throw WrongTile(first_, "its page is one of " + std::to_string(page.tiles()) + " tiles, block " +
                                    std::to_string(page.block()) + ", level " + std::to_string(page.level()));
    }
    std::vector<int64_t> index, slot, flags;
    page.column(kIndex, n).read(n, index);
    page.column(kSlot, n).read(n, slot);
    page.column(kTileFlags, n).read(n, flags);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t tile = first_ + k;
        if (index[k] != tree_.index[tile] || slot[k] != tree_.slot[tile] || flags[k] != tree_.flags[tile]) {
            throw WrongTile(tile, "it is not on its page, or with other flags");
        }
    }
    page.column(kSlices, n).read(n, n_slices_);
    page.column(kBins, n).read(n, n_bins_);
    page.column(kCounterBins, n).read(n, n_counter_bins_);
    page.column(kSamples, n).read(n, n_samples_);
    page.column(kCarry, n).read(n, carry_);
    for (std::size_t k = 0; k < n; ++k) {
        const bool leaf = tree_.is_leaf(first_ + k), terminal = tree_.is_terminal(first_ + k);
        if ((leaf && (n_bins_[k] != 0 || n_counter_bins_[k] != 0)) || (!leaf && n_samples_[k] != 0) ||
            (terminal && n_slices_[k] != 0)) {
            throw WrongTile(first_ + k, "it holds what such a tile cannot hold");
        }
    }
}

// Checks that what the page says without its residual is as close to the exact busy times as is promised: the sum of
// any first bins of a row is off by at most half a quantum.
void ProvePage::check_rounding() {
    const std::size_t bins = bin_[0].size();
    if (bins == 0) return;
    std::vector<int64_t> rounded, rest, row;
    uint64_t divisor = 0;
    int64_t most = 0;
    ProveColumn busy = bin_[3], residual = bin_[6];
    for (std::size_t first = 0; first < bins; first += kChunk) {
        const std::size_t n = std::min(kChunk, bins - first);
        busy.read(n, rounded);
        residual.read(n, rest);
        for (std::size_t k = 0; k < n; ++k) {
            const int64_t exact = wrapping_sum(rounded[k], rest[k]);
            most = std::max(most, exact);
            if (divisor != 1) divisor = common_divisor(divisor, magnitude(exact));
        }
    }
    const auto limit = static_cast<uint64_t>(std::min(int64_t{1} << (2 * level_), most)) >> kPrecisionBits;
    const uint64_t quantum = std::max({limit, divisor, uint64_t{1}});
    busy = bin_[3];
    residual = bin_[6];
    ProveColumn rows = bin_[1];
    for (std::size_t k = 0; k < n_bins_.size(); ++k) {
        __int128 off = 0;
        int64_t row_before = -1;
        const auto of_tile = static_cast<std::size_t>(n_bins_[k]);
        for (std::size_t first = 0; first < of_tile; first += kChunk) {
            const std::size_t n = std::min(kChunk, of_tile - first);
            busy.read(n, rounded);
            residual.read(n, rest);
            rows.read(n, row);
            for (std::size_t b = 0; b < n; ++b) {
                if (row[b] != row_before) off = 0;
                row_before = row[b];
                off += rest[b];
                if (rounded[b] < 0 || 2 * (off < 0 ? -off : off) > static_cast<__int128>(quantum)) {
                    throw WrongTile(first_ + k, "row " + std::to_string(row[b]) +
                                                    ": the busy times of its bins are not rounded as they should be");
                }
            }
        }
    }
}

void ProvePage::read(std::size_t tile, ProveTile& out) {
    while (first_ + next_ <= tile) read_next(out);
    check_order(out);
}

void ProvePage::read_next(ProveTile& out) {
    const auto count = [&](const std::vector<int64_t>& counts) { return static_cast<std::size_t>(counts.at(next_)); };
    out.slices.begin(slice_, count(n_slices_));
    out.bins.begin(bin_, count(n_bins_));
    out.counter_bins.begin(counter_bin_, count(n_counter_bins_));
    out.samples.begin(sample_, count(n_samples_));
    out.carry = as_double(carry_.at(next_));
    ++next_;
}

void ProvePage::check_order(const ProveTile& tile) const {
    bool wrong = false;
    int64_t row = -1, last = -1;
    tile.bins.each([&](const ProveBin& bin) {
        wrong |= bin.bin < 0 || bin.bin > 255 || bin.row < 0 || bin.row >= kMostRows;
        wrong |= bin.row < row || (bin.row == row && bin.bin <= last);
        row = bin.row;
        last = bin.bin;
    });
    last = -1;
    tile.counter_bins.each([&](const ProveCounterBin& bin) {
        wrong |= bin.bin <= last || bin.bin > 255;
        last = bin.bin;
    });
    const auto ascending = [&wrong, before = std::numeric_limits<int64_t>::min()](const auto& item) mutable {
        wrong |= item.ordinal <= before;
        before = item.ordinal;
    };
    tile.slices.each(ascending);
    tile.samples.each(ascending);
    if (wrong) throw WrongTile(first_ + next_ - 1, "what it holds is out of order");
}

void ProvePages::read(std::size_t tile, ProveTile& out) {
    auto& page = pages_.at(tree_.level[tile]);
    const std::size_t number = tree_.page_of(tile);
    if (page == nullptr || page->number() != number) {
        page.reset();
        page = std::make_unique<ProvePage>(tree_, number, fetch_(number));
    }
    page->read(tile, out);
}

void ProvePages::release() {
    for (auto& page : pages_) page.reset();
}

}  // namespace tilescope
