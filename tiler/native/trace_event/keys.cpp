#include "trace_event/keys.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "columns/direct_key.hpp"
#include "trace_event/json_text.hpp"

namespace tilescope {

namespace {

void append_text(std::string& key, const RawValue& value) {
    if (value.kind == JsonKind::missing) return;
    if (value.escaped || value.non_ascii) {
        append_decoded(value.text, key);
    } else {
        key += value.text;
    }
}

// A part of a space: its length keeps it apart from the next one.
void append_part(std::string& space, const RawValue& value) {
    const std::size_t first = space.size();
    append_text(space, value);
    const std::size_t size = space.size() - first;
    char bytes[sizeof size];
    std::memcpy(bytes, &size, sizeof size);
    space.append(bytes, sizeof size);
}

void append_number(std::string& key, std::int32_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    key.append(bytes, sizeof number);
}

bool has_id(const EventFields& event) { return !event.id.is_null() || event.id2.kind == JsonKind::object; }

// An id as a number of up to 48 bits, where no other text is the same number: decimal digits, or lower-case hexadecimal ones
// behind 0x, without zeros in front. The lowest bit says which.
std::optional<std::uint64_t> number_of(std::string_view id) {
    const bool hexadecimal = id.size() > 2 && id[0] == '0' && id[1] == 'x';
    const std::string_view digits = hexadecimal ? id.substr(2) : id;
    if (digits.empty() || digits.size() > 14 || (digits[0] == '0' && digits.size() > 1)) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : digits) {
        const bool decimal = c >= '0' && c <= '9';
        if (!decimal && !(hexadecimal && c >= 'a' && c <= 'f')) return std::nullopt;
        const unsigned digit = decimal ? static_cast<unsigned>(c - '0') : static_cast<unsigned>(c - 'a') + 10;
        number = number * (hexadecimal ? 16 : 10) + digit;
    }
    if (number >> 47 != 0) return std::nullopt;
    return number << 1 | (hexadecimal ? 1u : 0u);
}

// The text that is this number.
std::string_view text_of(std::uint64_t number, std::array<char, 24>& text) {
    const bool hexadecimal = (number & 1) != 0;
    char* first = text.data();
    if (hexadecimal) {
        *first++ = '0';
        *first++ = 'x';
    }
    const char* end = std::to_chars(first, text.data() + text.size(), number >> 1, hexadecimal ? 16 : 10).ptr;
    return {text.data(), static_cast<std::size_t>(end - text.data())};
}

}  // namespace

void EventKeys::begin_space(char family, Scope scope, std::int32_t number) {
    scratch_.clear();
    scratch_.push_back(family);
    scratch_.push_back(static_cast<char>(scope));
    append_number(scratch_, number);
}

// The space stands in the scratch text.
std::int64_t EventKeys::key_in_space(const RawValue& id) {
    const std::int32_t space = spaces_.intern(scratch_);
    if (!id.escaped && !id.non_ascii) return key_of(space, id.kind == JsonKind::missing ? std::string_view() : id.text);
    std::string decoded;
    append_text(decoded, id);
    return key_of(space, decoded);
}

std::int64_t EventKeys::key_of(std::int32_t space, std::string_view id) {
    if (const auto number = number_of(id)) {
        if (const auto key = direct_key(static_cast<std::uint64_t>(space), *number)) return *key;
    }
    scratch_.clear();
    append_number(scratch_, space);
    scratch_ += id;
    return kTableKey | texts_.intern(scratch_);
}

// For an event with an id.
std::int64_t EventKeys::identified(char family, const EventFields& event, std::int32_t process) {
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
    begin_space(family, scope, scope == Scope::process ? process : 0);
    append_part(scratch_, event.cat);
    append_part(scratch_, event.id_scope);
    return key_in_space(id);
}

std::int64_t EventKeys::async(const EventFields& event, std::int32_t process, std::int32_t thread) {
    const char phase = event.ph.text.front();
    const char family = phase == 'b' || phase == 'n' || phase == 'e' ? 'n' : 'l';
    if (has_id(event)) return identified(family, event, process);
    begin_space(family, Scope::thread, thread);
    append_part(scratch_, event.cat);
    return key_in_space(event.name);
}

std::int64_t EventKeys::flow(const EventFields& event, std::int32_t process) {
    return has_id(event) ? identified('f', event, process) : -1;
}

std::int64_t EventKeys::bound_flow(const EventFields& event) {
    begin_space('b', Scope::global, 0);
    return key_in_space(event.bind_id);
}

EventKeys::PartNumbers::PartNumbers(EventKeys& whole, const EventKeys& part, const ScopeNumbers& scopes)
    : whole_(whole), part_(part), texts_(part.texts_.size(), -1) {
    std::string text;
    for (std::size_t k = 0; k < part.spaces_.size(); ++k) {
        text = part.spaces_.at(static_cast<std::int32_t>(k));
        if (const auto scope = static_cast<Scope>(text[1]); scope != Scope::global) {
            std::int32_t number = 0;
            std::memcpy(&number, text.data() + 2, sizeof number);
            number = (scope == Scope::process ? scopes.processes : scopes.threads)[static_cast<std::size_t>(number)];
            std::memcpy(text.data() + 2, &number, sizeof number);
        }
        spaces_.push_back(whole.spaces_.intern(text));
    }
}

std::int64_t EventKeys::PartNumbers::renumbered(std::int64_t key) {
    if (key < 0) return key;
    if ((key & kTableKey) == 0) {
        const std::int32_t space = spaces_[static_cast<std::size_t>(key >> kKeyIdBits)];
        const std::uint64_t id = static_cast<std::uint64_t>(key) & ((std::uint64_t{1} << kKeyIdBits) - 1);
        if (const auto direct = direct_key(static_cast<std::uint64_t>(space), id)) return *direct;
        std::array<char, 24> text{};
        return whole_.key_of(space, text_of(id, text));
    }
    const auto number = static_cast<std::int32_t>(key & ~kTableKey);
    std::int64_t& cached = texts_[static_cast<std::size_t>(number)];
    if (cached < 0) {
        const std::string_view text = part_.texts_.at(number);
        std::int32_t space = 0;
        std::memcpy(&space, text.data(), sizeof space);
        cached = whole_.key_of(spaces_[static_cast<std::size_t>(space)], text.substr(sizeof space));
    }
    return cached;
}

}  // namespace tilescope
