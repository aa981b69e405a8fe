#include "trace_event/tracks.hpp"

#include <cstring>

#include "trace_event/decimal.hpp"
#include "trace_event/json_text.hpp"

namespace tilescope {

namespace {

// "7.0" and "7.000" as "7"; everything else as it is.
std::string_view without_zero_fraction(std::string_view number) {
    const std::size_t point = number.find('.');
    if (point == std::string_view::npos || point + 1 == number.size()) return number;
    const std::string_view fraction = number.substr(point + 1);
    return fraction.find_first_not_of('0') == std::string_view::npos ? number.substr(0, point) : number;
}

template <typename Number>
void append_number(std::string& key, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    key.append(bytes, sizeof number);
}

// Strings of any bytes one after the other, so that no two lists give the same key.
void append_part(std::string& key, std::string_view part) {
    append_number(key, part.size());
    key += part;
}

// A value as it is written.
void append_written(std::string& key, const RawValue& value) {
    key.push_back(static_cast<char>(value.kind));
    append_part(key, value.kind == JsonKind::missing ? std::string_view() : value.text);
}

std::string key_of(const Identity& id) {
    std::string key(1, static_cast<char>('0' + static_cast<int>(id.kind)));
    return key + id.text;
}

}  // namespace

Identity Identity::from_value(const RawValue& value) {
    if (value.says_nothing()) return {};
    std::string text;
    if (value.is_string()) {
        append_decoded(value.text, text);
    } else {
        append_valid_utf8(without_zero_fraction(value.text), text);
    }
    std::int64_t number = 0;
    if (parse_integer(text, number) == DecimalStatus::ok) {
        return {Kind::integer, std::to_string(number), value.is_string()};
    }
    return {Kind::text, std::move(text), value.is_string()};
}

std::int32_t Tracks::intern_process(const Identity& id) {
    const std::int32_t process = process_keys_.intern(key_of(id));
    if (static_cast<std::size_t>(process) == processes_.size()) processes_.push_back({id, {}, {}, {}});
    return process;
}

std::int32_t Tracks::intern_thread(std::int32_t process, const Identity& id) {
    const std::int32_t thread = thread_keys_.intern(std::to_string(process) + ' ' + key_of(id));
    if (static_cast<std::size_t>(thread) == threads_.size()) {
        threads_.push_back({process, id, {}, {}, {}});
        thread_tracks_.push_back({-1, -1, -1});
    }
    return thread;
}

std::int32_t Tracks::process(const RawValue& pid) {
    scratch_.clear();
    append_written(scratch_, pid);
    const auto written = static_cast<std::size_t>(written_pids_.intern(scratch_));
    if (written == process_of_written_.size()) process_of_written_.push_back(intern_process(Identity::from_value(pid)));
    return process_of_written_[written];
}

std::int32_t Tracks::thread(const RawValue& pid, const RawValue& tid) {
    if (last_thread_ >= 0 && last_pid_.is(pid) && last_tid_.is(tid)) return last_thread_;
    scratch_.clear();
    append_written(scratch_, pid);
    append_written(scratch_, tid);
    const auto written = static_cast<std::size_t>(written_threads_.intern(scratch_));
    if (written == thread_of_written_.size()) {
        thread_of_written_.push_back(
            intern_thread(intern_process(Identity::from_value(pid)), Identity::from_value(tid)));
    }
    last_pid_.set(pid);
    last_tid_.set(tid);
    last_thread_ = thread_of_written_[written];
    return last_thread_;
}

std::int32_t Tracks::of_thread(std::int32_t thread, TrackRole role) {
    std::int32_t& track = thread_tracks_[static_cast<std::size_t>(thread)][static_cast<std::size_t>(role)];
    if (track < 0) {
        const std::string key = 't' + std::to_string(thread) + ' ' + std::to_string(static_cast<int>(role));
        track = track_keys_.intern(key);
        tracks_.push_back({role, thread_at(thread).process, thread, {}});
    }
    return track;
}

std::int32_t Tracks::of_process(std::int32_t process, TrackRole role, const std::array<std::string_view, 3>& label) {
    scratch_.assign(1, 'p');
    append_number(scratch_, process);
    append_number(scratch_, role);
    for (const std::string_view part : label) append_part(scratch_, part);
    const std::int32_t track = track_keys_.intern(scratch_);
    if (static_cast<std::size_t>(track) == tracks_.size()) {
        tracks_.push_back({role, process, -1, {std::string(label[0]), std::string(label[1]), std::string(label[2])}});
    }
    return track;
}

ScopeNumbers Tracks::absorb(const Tracks& part) {
    ScopeNumbers numbers;
    for (const ProcessEntry& theirs : part.processes_) {
        const std::int32_t process = intern_process(theirs.id);
        ProcessEntry& ours = process_at(process);
        ours.names.add_all(theirs.names);
        ours.labels.add_all(theirs.labels);
        ours.sort_indices.add_all(theirs.sort_indices);
        numbers.processes.push_back(process);
    }
    for (const ThreadEntry& theirs : part.threads_) {
        const std::int32_t process = numbers.processes[static_cast<std::size_t>(theirs.process)];
        const std::int32_t thread = intern_thread(process, theirs.id);
        ThreadEntry& ours = thread_at(thread);
        ours.names.add_all(theirs.names);
        if (theirs.sort_index) ours.sort_index = theirs.sort_index;
        if (!ours.device) ours.device = theirs.device;
        numbers.threads.push_back(thread);
    }
    return numbers;
}

std::int32_t Tracks::of_part(const TrackEntry& entry, const ScopeNumbers& numbers) {
    if (entry.thread >= 0) return of_thread(numbers.threads[static_cast<std::size_t>(entry.thread)], entry.role);
    const std::int32_t process = entry.process < 0 ? -1 : numbers.processes[static_cast<std::size_t>(entry.process)];
    return of_process(process, entry.role, {entry.label[0], entry.label[1], entry.label[2]});
}

}  // namespace tilescope
