#include "pyramid/tiles.hpp"

#include <utility>

namespace tilescope {

namespace {

void put_columns(const PageColumns& columns, const RoundedBusy& rounded, ContainerWriter& out) {
    out.delta(ColumnId::index, columns.index);
    out.plain(ColumnId::slot, columns.slot);
    out.plain(ColumnId::tile_flags, columns.tile_flags);
    out.plain(ColumnId::n_slices, columns.n_slices);
    out.plain(ColumnId::n_bins, columns.n_bins);
    out.plain(ColumnId::n_counter_bins, columns.n_counter_bins);
    out.plain(ColumnId::n_samples, columns.n_samples);
    out.float64(ColumnId::carry, columns.carry);
    out.delta(ColumnId::start, columns.start);
    out.plain(ColumnId::duration, columns.duration);
    out.plain(ColumnId::row, columns.row);
    out.plain(ColumnId::name, columns.name);
    out.delta(ColumnId::ordinal, columns.ordinal);
    out.plain(ColumnId::slice_flags, columns.slice_flags);
    out.delta(ColumnId::bin, columns.bin);
    out.plain(ColumnId::bin_row, columns.bin_row);
    out.plain(ColumnId::count, columns.count);
    out.plain(ColumnId::busy, rounded.busy);
    out.plain(ColumnId::bin_name, columns.bin_name);
    out.plain(ColumnId::share, columns.share);
    out.delta(ColumnId::counter_bin, columns.counter_bin);
    out.plain(ColumnId::n, columns.n);
    out.float64(ColumnId::first, columns.first);
    out.float64(ColumnId::last, columns.last);
    out.float64(ColumnId::min, columns.min);
    out.float64(ColumnId::max, columns.max);
    out.float64(ColumnId::mean, columns.mean);
    out.delta(ColumnId::time, columns.time);
    out.float64(ColumnId::value, columns.value);
    out.delta(ColumnId::sample_ordinal, columns.sample_ordinal);
}

void put_residual(const PageColumns& columns, const RoundedBusy& rounded, ContainerWriter& out) {
    out.plain(ColumnId::busy_residual, rounded.residual);
    out.plain(ColumnId::longest_minus_busy, columns.longest_minus_busy);
}

}  // namespace

void PageColumns::append_bins(Span<const Bin> bins) {
    count_items(bins.size());
    const auto append = [&](auto& column, const auto& value_of) {
        const size_t before = column.size();
        column.resize(before + bins.size());
        for (size_t k = 0; k < bins.size(); ++k) column[before + k] = value_of(bins[k]);
    };
    append(bin, [](const Bin& source) { return source.bin; });
    append(bin_row, [](const Bin& source) { return source.row; });
    append(count, [](const Bin& source) { return static_cast<int64_t>(source.count); });
    append(busy, [](const Bin& source) { return source.busy; });
    append(bin_name, [](const Bin& source) { return source.name; });
    append(share, [](const Bin& source) { return source.share; });
    append(longest_minus_busy, [](const Bin& source) { return source.longest - source.busy; });
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
