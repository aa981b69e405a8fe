// The rows of a chunk while they are being gathered. Their meaning: tilescope.tiler.columns.EventChunk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "columns/event_codes.hpp"
#include "columns/row_columns.hpp"
#include "trace_event/decimal.hpp"

namespace tilescope {

struct EventRow {
    std::int32_t track = 0;
    Phase phase = Phase::instant;
    PicoTime time;
    PicoTime duration;
    std::int32_t name = -1;
    std::int64_t key = -1;
    double value = 0;
    std::uint8_t flags = 0;
};

struct EventColumns : RowColumns {
    Column<double> value;
    Column<char> args;

    bool any_time_ps = false;
    bool any_duration_ps = false;
    bool any_key = false;
    bool any_value = false;

    // The arguments of the row are what has been appended to `args` since the row before.
    void add(const EventRow& row) {
        if (track.room() == 0) make_room(1);
        track.push_unchecked(row.track);
        phase.push_unchecked(static_cast<std::uint8_t>(row.phase));
        time_ns.push_unchecked(row.time.ns);
        time_ps.push_unchecked(row.time.ps);
        duration_ns.push_unchecked(row.duration.ns);
        duration_ps.push_unchecked(row.duration.ps);
        name.push_unchecked(row.name);
        key.push_unchecked(row.key);
        value.push_unchecked(row.value);
        flags.push_unchecked(row.flags);
        args_end.push_unchecked(static_cast<std::int64_t>(args.size()));
        any_time_ps = any_time_ps || row.time.ps != 0;
        any_duration_ps = any_duration_ps || row.duration.ps != 0;
        any_key = any_key || row.key != -1;
        any_value = any_value || row.phase == Phase::counter;
    }

    // The rows of `later` behind these.
    void append(const EventColumns& later) {
        const auto args_before = static_cast<std::int64_t>(args.size());
        const std::size_t first = size();
        if (track.room() < later.size()) make_room(later.size());
        append_column(track, later.track);
        append_column(phase, later.phase);
        append_column(time_ns, later.time_ns);
        append_column(time_ps, later.time_ps);
        append_column(duration_ns, later.duration_ns);
        append_column(duration_ps, later.duration_ps);
        append_column(name, later.name);
        append_column(key, later.key);
        append_column(value, later.value);
        append_column(flags, later.flags);
        append_column(args_end, later.args_end);
        args.ensure(later.args.size());
        append_column(args, later.args);
        for (std::size_t row = first; row < size(); ++row) args_end.data()[row] += args_before;
        any_time_ps = any_time_ps || later.any_time_ps;
        any_duration_ps = any_duration_ps || later.any_duration_ps;
        any_key = any_key || later.any_key;
        any_value = any_value || later.any_value;
    }

    // Members as one JSON object; nothing when there are none.
    void append_args(const std::vector<std::string_view>& members) {
        if (members.empty()) return;
        std::size_t bytes = 1;
        for (const std::string_view member : members) bytes += member.size() + 1;
        args.ensure(bytes);
        char before = '{';
        for (const std::string_view member : members) {
            args.push_unchecked(before);
            args.append_unchecked(member);
            before = ',';
        }
        args.push_unchecked('}');
    }

  private:
    template <typename T>
    static void append_column(Column<T>& column, const Column<T>& later) {
        column.append_unchecked(later);
    }

    // All columns of rows grow at the same time.
    void make_room(std::size_t rows) {
        const std::size_t extra = std::max({rows, size(), rows_at_first});
        reserve(extra);
        key.ensure(extra);
        value.ensure(extra);
    }

    static constexpr std::size_t rows_at_first = 64;
};

}  // namespace tilescope
