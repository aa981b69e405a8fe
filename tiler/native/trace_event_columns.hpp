// The rows of a chunk while they are being gathered. Their meaning: tilescope.tiler.columns.EventChunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decimal.hpp"
#include "event_codes.hpp"
#include "xspace_column.hpp"

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

struct EventColumns {
    template <typename T>
    using Column = xspace::Column<T>;

    Column<std::int32_t> track;
    Column<std::uint8_t> phase;
    Column<std::int64_t> time_ns;
    Column<std::int16_t> time_ps;
    Column<std::int64_t> duration_ns;
    Column<std::int16_t> duration_ps;
    Column<std::int32_t> name;
    Column<std::int64_t> key;
    Column<double> value;
    Column<std::uint8_t> flags;
    Column<std::int64_t> args_end;
    Column<char> args;

    bool any_time_ps = false;
    bool any_duration_ps = false;
    bool any_key = false;
    bool any_value = false;

    std::size_t size() const { return track.size(); }

    // The arguments of the row are what has been appended to `args` since the row before.
    void add(const EventRow& row) {
        if (track.room() == 0) make_room();
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

    // Members as one JSON object; nothing when there are none.
    void append_args(const std::vector<std::string_view>& members) {
        if (members.empty()) return;
        std::size_t bytes = 1;
        for (const std::string_view member : members) bytes += member.size() + 1;
        args.ensure(bytes);
        char before = '{';
        for (const std::string_view member : members) {
            args.push_unchecked(before);
            args.append_unchecked(member.data(), member.size());
            before = ',';
        }
        args.push_unchecked('}');
    }

private:
    // All columns of rows grow at the same time.
    void make_room() {
        const std::size_t extra = size() < rows_at_first ? rows_at_first : size();
        track.ensure(extra);
        phase.ensure(extra);
        time_ns.ensure(extra);
        time_ps.ensure(extra);
        duration_ns.ensure(extra);
        duration_ps.ensure(extra);
        name.ensure(extra);
        key.ensure(extra);
        value.ensure(extra);
        flags.ensure(extra);
        args_end.ensure(extra);
    }

    static constexpr std::size_t rows_at_first = 64;
};

}  // namespace tilescope
