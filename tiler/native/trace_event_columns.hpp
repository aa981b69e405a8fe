// The rows of a chunk while they are being gathered. Their meaning: tilescope.tiler.columns.EventChunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "decimal.hpp"
#include "event_codes.hpp"

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
    std::vector<std::int32_t> track;
    std::vector<std::uint8_t> phase;
    std::vector<std::int64_t> time_ns;
    std::vector<std::int16_t> time_ps;
    std::vector<std::int64_t> duration_ns;
    std::vector<std::int16_t> duration_ps;
    std::vector<std::int32_t> name;
    std::vector<std::int64_t> key;
    std::vector<double> value;
    std::vector<std::uint8_t> flags;
    std::vector<std::int64_t> args_end;
    std::vector<std::uint8_t> args;

    bool any_time_ps = false;
    bool any_duration_ps = false;
    bool any_key = false;
    bool any_value = false;

    std::size_t size() const { return track.size(); }

    // The arguments of the row are what has been appended to `args` since the row before.
    void add(const EventRow& row) {
        track.push_back(row.track);
        phase.push_back(static_cast<std::uint8_t>(row.phase));
        time_ns.push_back(row.time.ns);
        time_ps.push_back(row.time.ps);
        duration_ns.push_back(row.duration.ns);
        duration_ps.push_back(row.duration.ps);
        name.push_back(row.name);
        key.push_back(row.key);
        value.push_back(row.value);
        flags.push_back(row.flags);
        args_end.push_back(static_cast<std::int64_t>(args.size()));
        any_time_ps = any_time_ps || row.time.ps != 0;
        any_duration_ps = any_duration_ps || row.duration.ps != 0;
        any_key = any_key || row.key != -1;
        any_value = any_value || row.phase == Phase::counter;
    }

    // Members as one JSON object; nothing when there are none.
    void append_args(const std::vector<std::string_view>& members) {
        std::uint8_t before = '{';
        for (const std::string_view member : members) {
            args.push_back(before);
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(member.data());
            args.insert(args.end(), bytes, bytes + member.size());
            before = ',';
        }
        if (!members.empty()) args.push_back('}');
    }
};

}  // namespace tilescope
