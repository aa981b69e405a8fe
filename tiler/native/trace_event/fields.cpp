#include "trace_event/fields.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "trace_event/json_scan.hpp"
#include "trace_event/json_text.hpp"
#include "trace_event/member_walk.hpp"
#include "trace_event/raw_values.hpp"

namespace tilescope {

namespace {

// A key that means something, and where its value belongs.
struct KnownKey {
    std::string_view key;
    RawValue EventFields::* field;
    bool in_column;           // what it says is all in a column
    std::uint64_t word = 0;   // of a short key: `"key"` as it is written
    std::uint64_t mask = 0;   // of the bytes of `word` that count; 0: the key is too long for a word
    std::uint8_t quoted = 0;  // size of `"key"`

    constexpr KnownKey(std::string_view key_, RawValue EventFields::* field_, bool in_column_)
        : key(key_), field(field_), in_column(in_column_), quoted(static_cast<std::uint8_t>(key_.size() + 2)) {
        if (quoted > sizeof word) return;
        for (unsigned k = 0; k < quoted; ++k) {
            const char c = k == 0 || k + 1U == quoted ? '"' : key[k - 1];
            word |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << (8 * k);
            mask |= std::uint64_t{0xFF} << (8 * k);
        }
    }

    bool is(std::uint64_t text) const { return (text & mask) == word; }
};

std::uint64_t word_at(const char* p) {
    std::uint64_t text = 0;
    std::memcpy(&text, p, sizeof text);
    return text;
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "keys are compared as words");

constexpr std::array known_keys{
    KnownKey("ph", &EventFields::ph, true),
    KnownKey("name", &EventFields::name, true),
    KnownKey("pid", &EventFields::pid, true),
    KnownKey("tid", &EventFields::tid, true),
    KnownKey("ts", &EventFields::ts, true),
    KnownKey("dur", &EventFields::dur, true),
    KnownKey("cat", &EventFields::cat, true),
    KnownKey("args", &EventFields::args, false),
    KnownKey("id", &EventFields::id, false),
    KnownKey("s", &EventFields::instant_scope, false),
    KnownKey("bp", &EventFields::bp, false),
    KnownKey("id2", &EventFields::id2, false),
    KnownKey("scope", &EventFields::id_scope, false),
    KnownKey("bind_id", &EventFields::bind_id, false),
    KnownKey("flow_in", &EventFields::flow_in, false),
    KnownKey("flow_out", &EventFields::flow_out, false),
};

// Null when no column needs that member.
const KnownKey* find_known(std::string_view key) {
    for (const KnownKey& entry : known_keys) {
        if (entry.key == key) return &entry;
    }
    return nullptr;
}

// The same of the eight bytes that begin with `"key"`, for short keys.
const KnownKey* find_short(std::uint64_t text) {
    for (const KnownKey& entry : known_keys) {
        if (entry.mask != 0 && entry.is(text)) return &entry;
    }
    return nullptr;
}

// Texts that a comma separates become one.
void add_rest(std::vector<std::string_view>& rest, std::string_view member) {
    if (!rest.empty()) {
        std::string_view& before = rest.back();
        // Both are of one block.
        const char* const end = before.data() + before.size();
        if (end + 1 == member.data()) {
            before = {before.data(), before.size() + 1 + member.size()};
            return;
        }
    }
    rest.push_back(member);
}

void add_cut(EventFields& event, std::string_view member) {
    ++event.cut_values;
    event.rest.emplace_back(event.cut_texts.emplace_front(cut_nested(member)));
}

}  // namespace

bool is_no_number(std::string_view word) {
    if (!word.empty() && (word.front() == '-' || word.front() == '+')) word.remove_prefix(1);
    constexpr std::array words{"NaN", "nan", "NAN", "Infinity", "infinity", "inf", "Inf", "INF"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

void EventFields::clear() {
    for (RawValue* field : {&ph, &name, &cat, &pid, &tid, &ts, &dur, &id, &id2, &id_scope, &args, &instant_scope, &bp,
                            &bind_id, &flow_in, &flow_out}) {
        field->kind = JsonKind::missing;
    }
    rest.clear();
    any = false;
    member_count = 0;
    cut_values = 0;
    cut_texts.clear();
    if (guess != nullptr) guess->forget();
}

bool is_event_member(std::string_view key) { return find_known(key) != nullptr || key == "tts" || key == "tdur"; }

ScanEnd read_arguments(const char* p, const char* end, EventFields& event, Depths depths) {
    if (event.guess == nullptr) return read_raw_value(p, end, event.args, depths);
    const std::string_view cat = event.cat.kind == JsonKind::string ? event.cat.text : std::string_view();
    const auto code = [](char c) { return static_cast<std::size_t>(static_cast<unsigned char>(c)); };
    const std::size_t key = cat.empty() ? 0 : 31 * cat.size() + 7 * code(cat.front()) + code(cat.back());
    if (p != end && *p == '{') {
        if (const char* after = event.guess->match(key, p, end)) {
            event.args = {JsonKind::object, text_between(p, after), false, false, false};
            return {Scan::ok, after};
        }
    }
    const ScanEnd value = read_raw_value(p, end, event.args, depths);
    if (value.status == Scan::ok && event.args.kind == JsonKind::object && !event.args.deep)
        event.guess->learn(key, event.args.text);
    return value;
}

ScanEnd read_value(const char* p, const char* end, RawValue& out) { return read_raw_value(p, end, out, Depths::cut); }

EventEnd parse_event(const char* p, const char* end, EventFields& out, Depths depths) {
    out.clear();
    const auto stop = [](Scan status, const char* here) { return EventEnd{status, here, ParsedAs::event}; };
    bool comma = true;
    bool after_string = false;
    std::size_t place = 0;  // of the member in the event
    ++p;
    for (;;) {
        if (end - p >= 2 && p[0] == ',' && p[1] == '"') {  // as most writers write
            ++p;
        } else {
            p = skip_space(p, end);
            if (p == end) return stop(Scan::incomplete, p);
            if (*p == ',') {
                comma = true;
                ++p;
                continue;
            }
            if (*p == '}') return stop(Scan::ok, p + 1);
            if (*p != '"' || !comma) {
                // Behind a string, a quote in the name is likelier than a comment.
                const bool foreign = is_foreign(p, end) && (comma || (*p == '/' && !after_string));
                return stop(foreign ? Scan::foreign : Scan::damaged, p);
            }
        }
        out.any = true;
        const char* member = p;
        const KnownKey* known_key = &known_keys[place < out.key_order.size() ? out.key_order[place] : 0];
        const std::uint64_t word = end - p >= 8 ? word_at(p) : 0;
        if (known_key->is(word)) {
            p += known_key->quoted;
        } else if (const KnownKey* short_key = find_short(word); short_key != nullptr) {
            known_key = short_key;
            p += known_key->quoted;
            if (place < out.key_order.size()) {
                out.key_order[place] = static_cast<std::uint8_t>(known_key - known_keys.data());
            }
        } else {
            const StringEnd key_end = find_string_end(p + 1, end);
            if (key_end.quote == nullptr) return stop(Scan::incomplete, end);
            const std::string_view key = text_between(p + 1, key_end.quote);
            p = key_end.quote + 1;
            known_key = find_known(key);
            if (known_key == nullptr && key == "traceEvents") {
                p = skip_space(p, end);
                if (p == end) return stop(Scan::incomplete, p);
                if (*p != ':') return stop(Scan::damaged, p);
                return {Scan::ok, skip_space(p + 1, end), ParsedAs::trace_object};
            }
            if (known_key != nullptr && known_key->mask != 0 && place < out.key_order.size()) {
                out.key_order[place] = static_cast<std::uint8_t>(known_key - known_keys.data());
            }
        }
        ++place;
        p = skip_space(p, end);
        if (p == end) return stop(Scan::incomplete, p);
        if (*p != ':') return stop(Scan::damaged, p);
        p = skip_space(p + 1, end);
        RawValue other;
        RawValue& into = known_key == nullptr ? other : out.*known_key->field;
        const bool are_arguments = &into == &out.args;
        const ScanEnd value =
            are_arguments ? read_arguments(p, end, out, depths) : read_raw_value(p, end, into, depths);
        if (value.status != Scan::ok) return stop(value.status, value.position);
        if (out.member_count < EventFields::kMostMembers)
            out.members[out.member_count] = {known_key == nullptr ? nullptr : known_key->field, into};
        ++out.member_count;
        p = value.position;
        if (known_key == nullptr || !known_key->in_column) {
            if (into.deep) {
                add_cut(out, text_between(member, p));
            } else {
                add_rest(out.rest, text_between(member, p));
            }
        }
        comma = false;
        after_string = p[-1] == '"';
    }
}

RawValue find_member(const RawValue& object, std::string_view key) {
    RawValue last;
    if (object.kind != JsonKind::object) return last;
    for_each_member(object.text, [&](std::string_view name, const RawValue& value) {
        if (name == key) last = value;
        return true;
    });
    return last;
}

std::string scalar_text(const RawValue& value) {
    std::string text;
    if (value.says_nothing() || value.kind == JsonKind::object || value.kind == JsonKind::array) return text;
    if (value.is_string()) {
        append_decoded(value.text, text);
    } else {
        text = value.text;
    }
    return text;
}

}  // namespace tilescope
