#include "columns/by_track.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/bytes.hpp"

namespace tilescope {

namespace {

// Numbers of tracks that lie so far apart, against the rows, are compared rather than counted.
constexpr std::size_t most_counters_per_row = 4;
constexpr std::size_t few_counters = 4096;

std::vector<std::uint32_t> counted_order(Span<const std::int32_t> track, std::int64_t least, std::size_t counters) {
    std::vector<std::uint32_t> next(counters, 0);
    const auto counter = [least](std::int32_t number) { return static_cast<std::size_t>(number - least); };
    for (const std::int32_t number : track) ++next[counter(number)];
    std::uint32_t sum = 0;
    for (std::uint32_t& place : next) {
        const std::uint32_t count = place;
        place = sum;
        sum += count;
    }
    std::vector<std::uint32_t> order(track.size());
    for (std::size_t row = 0; row < track.size(); ++row) {
        order[next[counter(track[row])]++] = static_cast<std::uint32_t>(row);
    }
    return order;
}

// Picks rows out of chunks that stand one behind the other.
class RowPicker {
  public:
    RowPicker(const std::vector<ChunkPart>& chunks, const std::vector<std::uint32_t>& order)
        : chunks_(chunks), order_(order) {
        for (const ChunkPart& chunk : chunks) {
            chunk.check();
            rows_ += chunk.rows();
            args_bytes_ += chunk.args_bytes();
        }
        for (const std::uint32_t row : order) {
            if (row >= rows_) throw std::invalid_argument("rows that are not there");
        }
    }

    template <typename T>
    Column<T> column_of(Span<const T> ChunkPart::* column) const {
        if (chunks_.size() == 1) return picked(rows_of(chunks_.front(), chunks_.front().*column));
        Column<T> joined;
        joined.ensure(rows_);
        for (const ChunkPart& chunk : chunks_) joined.append_unchecked(rows_of(chunk, chunk.*column));
        return picked(Span<const T>(joined));
    }

    // Nothing where no chunk has the column.
    template <typename T, typename Missing>
    std::optional<Column<T>> column_of(std::optional<Span<const T>> ChunkPart::* column, Missing missing) const {
        const auto has = [column](const ChunkPart& chunk) { return (chunk.*column).has_value(); };
        if (std::none_of(chunks_.begin(), chunks_.end(), has)) return std::nullopt;
        Column<T> joined;
        if (chunks_.size() > 1) joined.ensure(rows_);
        for (const ChunkPart& chunk : chunks_) {
            if (const std::optional<Span<const T>>& values = chunk.*column) {
                if (chunks_.size() == 1) return picked(rows_of(chunk, *values));
                joined.append_unchecked(rows_of(chunk, *values));
            } else {
                for (std::size_t k = 0; k < chunk.rows(); ++k) joined.push_unchecked(static_cast<T>(missing));
            }
        }
        return picked(Span<const T>(joined));
    }

    void arguments(Column<std::int64_t>& ends, Column<std::uint8_t>& data) const {
        std::vector<Bytes> texts;
        texts.reserve(rows_);
        for (const ChunkPart& chunk : chunks_) {
            std::size_t begin = chunk.args_begin();
            for (const std::int64_t args_end : rows_of(chunk, chunk.args_end)) {
                const auto end = static_cast<std::size_t>(args_end);
                texts.push_back(chunk.args.subspan(begin, end - begin));
                begin = end;
            }
        }
        ends.ensure(order_.size());
        data.ensure(args_bytes_);
        for (const std::uint32_t row : order_) {
            data.ensure(texts[row].size());
            data.append_unchecked(texts[row]);
            ends.push_unchecked(static_cast<std::int64_t>(data.size()));
        }
    }

  private:
    template <typename T>
    static Span<const T> rows_of(const ChunkPart& chunk, Span<const T> column) {
        return column.subspan(chunk.start, chunk.rows());
    }

    template <typename T>
    Column<T> picked(Span<const T> column) const {
        Column<T> out;
        out.ensure(order_.size());
        for (const std::uint32_t row : order_) out.push_unchecked(column[row]);
        return out;
    }

    const std::vector<ChunkPart>& chunks_;
    const std::vector<std::uint32_t>& order_;
    std::size_t rows_ = 0;
    std::size_t args_bytes_ = 0;
};

}  // namespace

std::vector<std::uint32_t> as_they_are(std::size_t rows) {
    std::vector<std::uint32_t> order(rows);
    for (std::size_t row = 0; row < rows; ++row) order[row] = static_cast<std::uint32_t>(row);
    return order;
}

RowsByTrack rows_by_track(Span<const std::int32_t> track) {
    RowsByTrack result;
    const std::size_t n = track.size();
    if (n == 0) return result;
    if (n > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("too many rows");
    if (!std::is_sorted(track.begin(), track.end())) {
        const auto [least, most] = std::minmax_element(track.begin(), track.end());
        const auto counters = static_cast<std::size_t>(std::int64_t{*most} - *least) + 1;
        if (counters <= most_counters_per_row * n + few_counters) {
            result.order = counted_order(track, *least, counters);
        } else {
            result.order = as_they_are(n);
            std::stable_sort(result.order.begin(), result.order.end(),
                             [track](std::uint32_t a, std::uint32_t b) { return track[a] < track[b]; });
        }
    }
    const auto track_at = [&](std::size_t place) { return track[result.order.empty() ? place : result.order[place]]; };
    for (std::size_t place = 0; place < n; ++place) {
        const std::int32_t number = track_at(place);
        if (result.tracks.empty() || result.tracks.back() != number) {
            if (place > 0) result.stops.push_back(static_cast<std::int64_t>(place));
            result.tracks.push_back(number);
        }
    }
    result.stops.push_back(static_cast<std::int64_t>(n));
    return result;
}

SortedColumns in_order(const std::vector<ChunkPart>& chunks, const std::vector<std::uint32_t>& order) {
    const RowPicker pick(chunks, order);
    SortedColumns out;
    out.phase = pick.column_of(&ChunkPart::phase);
    out.time_ns = pick.column_of(&ChunkPart::time_ns);
    out.time_ps = pick.column_of(&ChunkPart::time_ps, 0);
    out.duration_ns = pick.column_of(&ChunkPart::duration_ns);
    out.duration_ps = pick.column_of(&ChunkPart::duration_ps, 0);
    out.name = pick.column_of(&ChunkPart::name);
    out.key = pick.column_of(&ChunkPart::key, -1);
    out.value = pick.column_of(&ChunkPart::value, std::numeric_limits<double>::quiet_NaN());
    out.flags = pick.column_of(&ChunkPart::flags);
    pick.arguments(out.args_end, out.args);
    return out;
}

}  // namespace tilescope
