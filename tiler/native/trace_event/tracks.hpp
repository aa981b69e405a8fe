// Processes, threads and tracks of a trace-event file, made as events first need them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "columns/intern.hpp"
#include "columns/latest_values.hpp"
#include "trace_event/fields.hpp"
#include "trace_event/keys.hpp"

namespace tilescope {

// The identity of a process or thread, its pid or tid. Numbers are canonical: 7, 7.0 and "7" are the same (writers mix
// them), other strings are themselves.
struct Identity {
    enum class Kind { absent, integer, text };
    Kind kind = Kind::absent;
    std::string text;        // decimal digits, or the text decoded; empty when absent
    bool is_string = false;  // as it was written first

    static Identity from_value(const RawValue& value);
};

struct ProcessEntry {
    Identity id;
    LatestValues<std::string> names;
    LatestValues<std::string> labels;
    LatestValues<std::int64_t> sort_indices;
};

struct ThreadEntry {
    std::int32_t process = -1;
    Identity id;
    LatestValues<std::string> names;
    std::optional<std::int64_t> sort_index;
    // The argument `device` of its first slice that is of a device by its category; empty when that has none.
    std::optional<std::string> device;
};

// The content of a track. Names are made from it at the end, when all metadata is known.
enum class TrackRole : std::uint8_t {
    thread_slices = 0,     // subject: thread
    thread_instants = 1,   // subject: thread
    thread_flows = 2,      // subject: thread
    process_instants = 3,  // no subject
    global_instants = 4,   // no subject, and no process
    async_slices = 5,      // label: category
    async_instants = 6,    // label: category
    counter = 7,           // label: counter name, id and series
};

struct TrackEntry {
    TrackRole role{};
    std::int32_t process = -1;         // -1: the trace as a whole
    std::int32_t thread = -1;          // -1: none
    std::array<std::string, 3> label;  // see the roles
};

class Tracks {
  public:
    std::int32_t process(const RawValue& pid);
    std::int32_t thread(const RawValue& pid, const RawValue& tid);
    ProcessEntry& process_at(std::int32_t process) { return processes_[static_cast<std::size_t>(process)]; }
    ThreadEntry& thread_at(std::int32_t thread) { return threads_[static_cast<std::size_t>(thread)]; }

    // Track numbers, for `EventChunk.track`.
    std::int32_t of_thread(std::int32_t thread, TrackRole role);
    std::int32_t of_process(std::int32_t process, TrackRole role, const std::array<std::string_view, 3>& label = {});

    // Takes over the processes and threads that a later part of the file has. Returns their numbers here.
    ScopeNumbers absorb(const Tracks& part);

    // The track here that is `entry` in a part of the file.
    std::int32_t of_part(const TrackEntry& entry, const ScopeNumbers& numbers);

    const std::vector<ProcessEntry>& processes() const { return processes_; }
    const std::vector<ThreadEntry>& threads() const { return threads_; }
    const std::vector<TrackEntry>& tracks() const { return tracks_; }

  private:
    std::int32_t intern_process(const Identity& id);
    std::int32_t intern_thread(std::int32_t process, const Identity& id);

    Interner process_keys_;
    Interner thread_keys_;
    Interner track_keys_;
    std::vector<ProcessEntry> processes_;
    std::vector<ThreadEntry> threads_;
    std::vector<TrackEntry> tracks_;
    std::vector<std::array<std::int32_t, 3>> thread_tracks_;  // by role, -1: not made yet

    // Texts of pids and tids that were written so far: the same text is the same process or thread.
    Interner written_pids_;
    Interner written_threads_;
    std::vector<std::int32_t> process_of_written_;
    std::vector<std::int32_t> thread_of_written_;

    // The thread of the event before, and its pid and tid as they were written: most events share it.
    struct AsWritten {
        JsonKind kind = JsonKind::missing;
        std::string text;

        bool is(const RawValue& value) const {
            return kind == value.kind && (kind == JsonKind::missing || text == value.text);
        }
        void set(const RawValue& value) {
            kind = value.kind;
            text = kind == JsonKind::missing ? std::string_view() : value.text;
        }
    };
    AsWritten last_pid_;
    AsWritten last_tid_;
    std::int32_t last_thread_ = -1;
    std::string scratch_;
};

}  // namespace tilescope
