#include "trace_event_keys.hpp"

#include <cstring>

#include "json_text.hpp"

namespace tilescope {

namespace {

// A part of a key: its length keeps it apart from the next one.
void append_part(std::string& key, const RawValue& value) {
    const std::size_t first = key.size();
    if (value.kind != JsonKind::missing) {
        if (value.escaped || value.non_ascii) {
            append_decoded(value.text, key);
        } else {
            key += value.text;
        }
    }
    const std::size_t size = key.size() - first;
    char bytes[sizeof size];
    std::memcpy(bytes, &size, sizeof size);
    key.append(bytes, sizeof size);
}

void append_number(std::string& key, std::int32_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    key.append(bytes, sizeof number);
}

bool has_id(const EventFields& event) { return !event.id.is_null() || event.id2.kind == JsonKind::object; }

}  // namespace

void EventKeys::append_id(const EventFields& event, std::int32_t process) {
    if (event.id2.kind == JsonKind::object) {
        const RawValue local = find_member(event.id2, "local");
        if (local.kind != JsonKind::missing) {
            scratch_.push_back('l');
            append_number(scratch_, process);
            append_part(scratch_, local);
            return;
        }
        scratch_.push_back('g');
        append_part(scratch_, find_member(event.id2, "global"));
        return;
    }
    scratch_.push_back('g');
    append_part(scratch_, event.id);
}

void EventKeys::write_async_identity(const EventFields& event, std::int32_t process, std::int32_t thread) {
    const char phase = event.ph.text.front();
    scratch_.clear();
    scratch_.push_back(phase == 'b' || phase == 'n' || phase == 'e' ? 'n' : 'l');
    append_part(scratch_, event.cat);
    if (has_id(event)) {
        append_part(scratch_, event.id_scope);
        append_id(event, process);
    } else {
        scratch_.push_back('t');
        append_part(scratch_, event.name);
        append_number(scratch_, thread);
    }
}

std::int32_t EventKeys::local_key(std::int32_t shared, std::int32_t process) {
    scratch_.clear();
    append_number(scratch_, shared);
    append_number(scratch_, process);
    const std::int32_t key = local_keys_.intern(scratch_);
    if (static_cast<std::size_t>(key) == locals_.size()) locals_.push_back({process, 0});
    return key;
}

AsyncPlace EventKeys::async_begin(const EventFields& event, std::int32_t process, std::int32_t thread) {
    write_async_identity(event, process, thread);
    const std::int32_t shared = shared_keys_.intern(scratch_);
    const std::int32_t key = local_key(shared, process);
    last_begun_.resize(shared_keys_.size(), -1);
    last_begun_[static_cast<std::size_t>(shared)] = key;
    ++locals_[static_cast<std::size_t>(key)].open;
    return {key, process};
}

AsyncPlace EventKeys::async_end(const EventFields& event, std::int32_t process, std::int32_t thread) {
    write_async_identity(event, process, thread);
    const std::int32_t shared = shared_keys_.intern(scratch_);
    last_begun_.resize(shared_keys_.size(), -1);
    std::int32_t key = local_key(shared, process);
    if (locals_[static_cast<std::size_t>(key)].open == 0) {
        const std::int32_t other = last_begun_[static_cast<std::size_t>(shared)];
        if (other >= 0 && locals_[static_cast<std::size_t>(other)].open > 0) key = other;
    }
    Local& local = locals_[static_cast<std::size_t>(key)];
    if (local.open > 0) --local.open;
    return {key, local.process};
}

AsyncPlace EventKeys::async_instant(const EventFields& event, std::int32_t process, std::int32_t thread) {
    write_async_identity(event, process, thread);
    const std::int32_t shared = shared_keys_.intern(scratch_);
    last_begun_.resize(shared_keys_.size(), -1);
    return {local_key(shared, process), process};
}

std::int64_t EventKeys::flow(const EventFields& event, std::int32_t process) {
    if (!has_id(event)) return -1;
    scratch_.assign(1, 'f');
    append_part(scratch_, event.cat);
    append_part(scratch_, event.id_scope);
    append_id(event, process);
    return flow_keys_.intern(scratch_);
}

std::int64_t EventKeys::bound_flow(const EventFields& event) {
    scratch_.assign(1, 'b');
    append_part(scratch_, event.bind_id);
    return flow_keys_.intern(scratch_);
}

}  // namespace tilescope
