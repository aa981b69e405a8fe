#include "trace_event/event_guess.hpp"

#include <algorithm>
#include <utility>

#include "base/begins_with.hpp"
#include "trace_event/json_scan.hpp"
#include "trace_event/raw_values.hpp"

namespace tilescope {

const char* EventGuess::read(const char* p, const char* end, EventFields& out) {
    for (std::size_t place = 0; place < order_.size(); ++place) {
        if (const char* after = read_kind(kinds_[order_[place]], p, end, out)) {
            const auto first = order_.begin();
            const auto matched = first + static_cast<std::ptrdiff_t>(place);
            std::rotate(first, matched, matched + 1);
            patience_ = std::min(patience_ + 1, kPatience);
            return after;
        }
    }
    return nullptr;
}

const char* EventGuess::read_kind(const Kind& kind, const char* p, const char* end, EventFields& out) {
    const char* plain = kind.plain.data();
    if (!begins_with(p, end, plain, kind.runs.front().size)) return nullptr;
    out.clear();
    std::size_t fixed = 0;
    for (std::size_t k = 0;; ++k) {
        const Run& run = kind.runs[k];
        if (k != 0 && !begins_with(p, end, plain + run.first, run.size)) return nullptr;
        begins_[k] = p;
        for (; fixed < run.fixed; ++fixed) {
            const Fixed& entry = kind.fixed[fixed];
            RawValue& value = out.*entry.field;
            value = entry.value;
            value.text = {p + entry.offset, entry.value.text.size()};
        }
        p += run.size;
        if (run.form == ValueForm::none) break;
        p = read_value(run, p, end, out);
        if (p == nullptr) return nullptr;
    }
    const auto position_of = [this](Place place) { return begins_[place.run] + place.offset; };
    for (const Rest& rest : kind.rest) out.rest.push_back(text_between(position_of(rest.begin), position_of(rest.end)));
    out.any = true;
    return p;
}

// Returns where it ends, or null where it is of another form.
const char* EventGuess::read_value(const Run& run, const char* p, const char* end, EventFields& out) {
    RawValue other;
    RawValue& into = run.field == nullptr ? other : out.*run.field;
    switch (run.form) {
    case ValueForm::text: {
        const StringEnd string = find_string_end(p, end);
        if (string.quote == nullptr) return nullptr;
        into = {JsonKind::string, text_between(p, string.quote), string.escaped, string.non_ascii, false};
        return string.quote;
    }
    case ValueForm::token: {
        const ScanEnd value = read_token(p, end, into);
        return value.status == Scan::ok ? value.position : nullptr;
    }
    case ValueForm::arguments: {
        if (p == end || *p != '{') return nullptr;
        const ScanEnd value = read_arguments(p, end, out, Depths::refused);
        return value.status == Scan::ok ? value.position : nullptr;
    }
    case ValueForm::none: break;
    }
    return nullptr;
}

// Values of few kinds, which tell events of one kind from those of others.
bool EventGuess::is_fixed(Field field) {
    for (const Field fixed : {&EventFields::ph, &EventFields::cat, &EventFields::instant_scope, &EventFields::bp}) {
        if (field == fixed) return true;
    }
    return false;
}

void EventGuess::learn(const char* begin, const char* end, const EventFields& event) {
    if (patience_ <= 0) return;
    patience_ -= kCost;
    if (patience_ <= 0) {
        order_.clear();
        return;
    }
    if (event.cut_values != 0 || event.member_count == 0 || event.member_count > EventFields::kMostMembers) return;
    Kind kind;
    Run run;
    const char* from = begin;  // where the run begins
    std::vector<std::pair<const char*, const char*>> bounds;  // of the runs
    const auto end_run = [&](const char* stop) {
        run.first = kind.plain.size();
        run.size = static_cast<std::size_t>(stop - from);
        run.fixed = kind.fixed.size();
        kind.plain.append(from, run.size);
        kind.runs.push_back(std::exchange(run, {}));
        bounds.emplace_back(from, stop);
    };
    for (std::size_t k = 0; k < event.member_count; ++k) {
        const EventFields::Member& member = event.members[k];
        if (member.value.kind == JsonKind::string && member.field != nullptr && is_fixed(member.field)) {
            kind.fixed.push_back(
                {member.field, static_cast<std::size_t>(member.value.text.data() - from), member.value});
            continue;
        }
        run.field = member.field;
        switch (member.value.kind) {
        case JsonKind::string: run.form = ValueForm::text; break;
        case JsonKind::number:
        case JsonKind::word: run.form = ValueForm::token; break;
        case JsonKind::object:
            if (member.field != &EventFields::args) return;
            run.form = ValueForm::arguments;
            break;
        default: return;
        }
        end_run(member.value.text.data());
        from = member.value.text.data() + member.value.text.size();
    }
    end_run(end);
    if (kind.plain.size() > kLongest) return;
    kind.plain.append(kReadBehind, '\0');
    const auto place_of = [&](const char* p) {
        const auto range = std::find_if(bounds.begin(), bounds.end(),
                                        [p](const auto& bound) { return bound.first <= p && p <= bound.second; });
        return Place{static_cast<std::uint32_t>(range - bounds.begin()), static_cast<std::uint32_t>(p - range->first)};
    };
    for (const std::string_view rest : event.rest)
        kind.rest.push_back({place_of(rest.data()), place_of(rest.data() + rest.size())});
    std::uint8_t place = 0;
    if (order_.size() < kKinds) {
        place = static_cast<std::uint8_t>(order_.size());
    } else {
        place = order_.back();
        order_.pop_back();
    }
    order_.insert(order_.begin(), place);
    kinds_[place] = std::move(kind);
}

}  // namespace tilescope
