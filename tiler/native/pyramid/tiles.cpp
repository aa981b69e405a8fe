#include "pyramid/tiles.hpp"

#include <utility>

namespace tilescope {

namespace {

void put_columns(const PageColumns& of, const RoundedBusy& rounded, ContainerWriter& out) {
    out.delta(ColumnId::index, of.index);
    out.plain(ColumnId::slot, of.slot);
    out.plain(ColumnId::tile_flags, of.tile_flags);
    out.plain(ColumnId::n_slices, of.n_slices);
    out.plain(ColumnId::n_bins, of.n_bins);
    out.plain(ColumnId::n_counter_bins, of.n_counter_bins);
    out.plain(ColumnId::n_samples, of.n_samples);
    out.float64(ColumnId::carry, of.carry);
    out.delta(ColumnId::start, of.start);
    out.plain(ColumnId::duration, of.duration);
    out.plain(ColumnId::row, of.row);
    out.plain(ColumnId::name, of.name);
    out.delta(ColumnId::ordinal, of.ordinal);
    out.plain(ColumnId::slice_flags, of.slice_flags);
    out.delta(ColumnId::bin, of.bin);
    out.plain(ColumnId::bin_row, of.bin_row);
    out.plain(ColumnId::count, of.count);
    out.plain(ColumnId::busy, rounded.busy);
    out.plain(ColumnId::bin_name, of.bin_name);
    out.plain(ColumnId::share, of.share);
    out.delta(ColumnId::counter_bin, of.counter_bin);
    out.plain(ColumnId::n, of.n);
    out.float64(ColumnId::first, of.first);
    out.float64(ColumnId::last, of.last);
    out.float64(ColumnId::min, of.min);
    out.float64(ColumnId::max, of.max);
    out.float64(ColumnId::mean, of.mean);
    out.delta(ColumnId::time, of.time);
    out.float64(ColumnId::value, of.value);
    out.delta(ColumnId::sample_ordinal, of.sample_ordinal);
}

void put_residual(const PageColumns& of, const RoundedBusy& rounded, ContainerWriter& out) {
    out.plain(ColumnId::busy_residual, rounded.residual);
    out.plain(ColumnId::longest_minus_busy, of.longest_minus_busy);
}

}  // namespace

void PageColumns::append_bins(Span<const Bin> bins) {
    count_items(bins.size());
    const auto append = [&](auto& column, const auto& value_of) {
        const size_t before = column.size();
        column.resize(before + bins.size());
        for (size_t k = 0; k < bins.size(); ++k) column[before + k] = value_of(bins[k]);
    };
    append(bin, [](const Bin& of) { return of.bin; });
    append(bin_row, [](const Bin& of) { return of.row; });
    append(count, [](const Bin& of) { return static_cast<int64_t>(of.count); });
    append(busy, [](const Bin& of) { return of.busy; });
    append(bin_name, [](const Bin& of) { return of.name; });
    append(share, [](const Bin& of) { return of.share; });
    append(longest_minus_busy, [](const Bin& of) { return of.longest - of.busy; });
}

PlannedPage::PlannedPage(std::unique_ptr<PageColumns> columns, int level, uint32_t block)
    : columns_(std::move(columns)),
      rounded_(round_busy(level, columns_->n_bins, columns_->bin_row, columns_->busy)),
      page_("TSPG", level, static_cast<uint32_t>(columns_->index.size()), block) {
    put_columns(*columns_, rounded_, page_);
    if (columns_->busy.empty()) return;
    residual_.emplace("TSRD", level, static_cast<uint32_t>(columns_->index.size()), block);
    put_residual(*columns_, rounded_, *residual_);
}

uint8_t share_of(const Part& part, int64_t busy, uint64_t count) {
    using Wide = unsigned __int128;
    if (busy > 0 && part.busy < int64_t{1} << 55)  // the usual case: a wide division takes as long as ten others
        return static_cast<uint8_t>(255 * static_cast<uint64_t>(part.busy) / static_cast<uint64_t>(busy));
    if (busy > 0)
        return static_cast<uint8_t>(Wide{255} * static_cast<uint64_t>(part.busy) / static_cast<uint64_t>(busy));
    return count == 0 ? uint8_t{0} : static_cast<uint8_t>(Wide{255} * part.count / count);
}

}  // namespace tilescope
