#include "pyramid/tiles.hpp"

#include "pages/rounding.hpp"

namespace tilescope {

EncodedPage PageColumns::encode(int level, uint32_t block) const {
    const RoundedBusy rounded = round_busy(level, n_bins, bin_row, busy);
    ContainerWriter out("TSPG", level, static_cast<uint32_t>(index.size()), block);
    out.delta(ColumnId::index, index);
    out.plain(ColumnId::slot, slot);
    out.plain(ColumnId::tile_flags, tile_flags);
    out.plain(ColumnId::n_slices, n_slices);
    out.plain(ColumnId::n_bins, n_bins);
    out.plain(ColumnId::n_counter_bins, n_counter_bins);
    out.plain(ColumnId::n_samples, n_samples);
    out.float64(ColumnId::carry, carry);
    out.delta(ColumnId::start, start);
    out.plain(ColumnId::duration, duration);
    out.plain(ColumnId::row, row);
    out.plain(ColumnId::name, name);
    out.delta(ColumnId::ordinal, ordinal);
    out.plain(ColumnId::slice_flags, slice_flags);
    out.delta(ColumnId::bin, bin);
    out.plain(ColumnId::bin_row, bin_row);
    out.plain(ColumnId::count, count);
    out.plain(ColumnId::busy, rounded.busy);
    out.plain(ColumnId::bin_name, bin_name);
    out.plain(ColumnId::share, share);
    out.delta(ColumnId::counter_bin, counter_bin);
    out.plain(ColumnId::n, n);
    out.float64(ColumnId::first, first);
    out.float64(ColumnId::last, last);
    out.float64(ColumnId::min, min);
    out.float64(ColumnId::max, max);
    out.float64(ColumnId::mean, mean);
    out.delta(ColumnId::time, time);
    out.float64(ColumnId::value, value);
    out.delta(ColumnId::sample_ordinal, sample_ordinal);
    return {out.finish(), encode_residual(level, block, rounded.residual)};
}

std::string PageColumns::encode_residual(int level, uint32_t block, const std::vector<int64_t>& busy_residual) const {
    if (busy.empty()) return {};
    ContainerWriter out("TSRD", level, static_cast<uint32_t>(index.size()), block);
    out.plain(ColumnId::busy_residual, busy_residual);
    out.plain(ColumnId::longest_minus_busy, longest_minus_busy);
    return out.finish();
}

void append_bin(const Bin& bin, PageColumns& page) {
    page.count_one();
    page.bin.push_back(bin.bin);
    page.bin_row.push_back(bin.row);
    page.count.push_back(static_cast<int64_t>(bin.count));
    page.busy.push_back(bin.busy);
    page.bin_name.push_back(bin.name);
    page.share.push_back(bin.share);
    page.longest_minus_busy.push_back(bin.longest - bin.busy);
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
