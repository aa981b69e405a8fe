#include "trace_event_keys.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>

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

void EventKeys::begin_identity(char family, Scope scope, std::int32_t number) {
    scratch_.clear();
    scratch_.push_back(family);
    scratch_.push_back(static_cast<char>(scope));
    append_number(scratch_, number);
}

// For an event with an id.
void EventKeys::begin_identified(char family, const EventFields& event, std::int32_t process) {
    RawValue id = event.id;
    Scope scope = Scope::global;
    if (event.id2.kind == JsonKind::object) {
        id = find_member(event.id2, "local");
        if (id.kind == JsonKind::missing) {
            id = find_member(event.id2, "global");
        } else {
            scope = Scope::process;
        }
    }
    begin_identity(family, scope, scope == Scope::process ? process : 0);
    append_part(scratch_, event.cat);
    append_part(scratch_, event.id_scope);
    append_part(scratch_, id);
}

std::int32_t EventKeys::async_identity(const EventFields& event, std::int32_t process, std::int32_t thread) {
    const char phase = event.ph.text.front();
    const char family = phase == 'b' || phase == 'n' || phase == 'e' ? 'n' : 'l';
    if (has_id(event)) {
        begin_identified(family, event, process);
    } else {
        begin_identity(family, Scope::thread, thread);
        append_part(scratch_, event.cat);
        append_part(scratch_, event.name);
    }
    return identities_.intern(scratch_);
}

std::int32_t EventKeys::add_local(std::int32_t identity, std::int32_t process) {
    if (locals_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::length_error("too many distinct ids");
    }
    locals_.push_back({identity, process});
    return static_cast<std::int32_t>(locals_.size() - 1);
}

std::int32_t EventKeys::async_key(std::int32_t identity, std::int32_t process) {
    if (static_cast<std::size_t>(identity) >= shared_.size()) shared_.resize(identities_.size());
    Shared& shared = shared_[static_cast<std::size_t>(identity)];
    if (shared.home < 0) return shared.home = add_local(identity, process);
    if (locals_[static_cast<std::size_t>(shared.home)].process == process) return shared.home;
    shared.elsewhere = true;
    scratch_.clear();
    append_number(scratch_, identity);
    append_number(scratch_, process);
    const auto other = static_cast<std::size_t>(elsewhere_.intern(scratch_));
    if (other == elsewhere_keys_.size()) elsewhere_keys_.push_back(add_local(identity, process));
    return elsewhere_keys_[other];
}

std::vector<std::int32_t> EventKeys::shared_identities() const {
    std::vector<std::int32_t> identities;
    identities.reserve(locals_.size());
    for (const Local& local : locals_) {
        identities.push_back(shared_[static_cast<std::size_t>(local.identity)].elsewhere ? local.identity : -1);
    }
    return identities;
}

std::int64_t EventKeys::flow(const EventFields& event, std::int32_t process) {
    if (!has_id(event)) return -1;
    begin_identified('f', event, process);
    return flow_keys_.intern(scratch_);
}

std::int64_t EventKeys::bound_flow(const EventFields& event) {
    begin_identity('b', Scope::global, 0);
    append_part(scratch_, event.bind_id);
    return flow_keys_.intern(scratch_);
}

std::vector<std::int32_t> EventKeys::absorb(Interner& into, const Interner& part, const ScopeNumbers& scopes) {
    const auto scope_of = [](std::string_view identity) { return static_cast<Scope>(identity[1]); };
    bool confined = false;
    for (std::size_t k = 0; k < part.size() && !confined; ++k) {
        confined = scope_of(part.at(static_cast<std::int32_t>(k))) != Scope::global;
    }
    if (!confined) return into.intern_all(part);
    Interner rewritten;  // with the numbers that processes and threads have here
    std::string text;
    for (std::size_t k = 0; k < part.size(); ++k) {
        text = part.at(static_cast<std::int32_t>(k));
        if (const Scope scope = scope_of(text); scope != Scope::global) {
            std::int32_t number = 0;
            std::memcpy(&number, text.data() + 2, sizeof number);
            number = (scope == Scope::process ? scopes.processes : scopes.threads)[static_cast<std::size_t>(number)];
            std::memcpy(text.data() + 2, &number, sizeof number);
        }
        rewritten.intern(text);
    }
    return into.intern_all(rewritten);
}

std::vector<std::int32_t> EventKeys::absorb_identities(const EventKeys& part, const ScopeNumbers& scopes) {
    return absorb(identities_, part.identities_, scopes);
}

std::vector<std::int32_t> EventKeys::absorb_flows(const EventKeys& part, const ScopeNumbers& scopes) {
    return absorb(flow_keys_, part.flow_keys_, scopes);
}

}  // namespace tilescope
