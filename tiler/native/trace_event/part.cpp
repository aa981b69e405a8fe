#include "trace_event/part.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "trace_event/boundary.hpp"
#include "trace_event/event_guess.hpp"
#include "trace_event/json_scan.hpp"

namespace tilescope {

namespace {

// A larger event is left to the stream: at the top of a file it takes no object that is larger for an event at once.
constexpr std::size_t max_event_bytes = std::size_t{1} << 20;

// The most text that may be looked at in vain for a first event, in bytes.
constexpr std::size_t max_wasted_bytes = std::size_t{2} << 20;

}  // namespace

TraceEventPart::TraceEventPart(std::string_view block, PackedTexts* texts, TimeUnit unit) : sink_(unit) {
    if (texts == nullptr) {
        read(block, nullptr);
        return;
    }
    std::unique_ptr<TextPacker> packer = texts->lend();
    sink_.pack_arguments(packer.get());
    read(block, &packer->guess());
    sink_.pack_arguments(nullptr);
    texts->take_back(std::move(packer));
}

void TraceEventPart::read(std::string_view block, ShapeGuess* guess) {
    EventFields fields;
    fields.guess = guess;
    EventGuess like_before;
    first_ = last_ = find_first_event(block, fields);
    const char* end = block.data() + block.size();
    const char* p = block.data() + first_;
    for (;;) {
        p = skip_space(p, end);
        while (p != end && *p == ',') p = skip_space(p + 1, end);
        if (p == end || *p != '{') break;
        const std::size_t reach = std::min(max_event_bytes, static_cast<std::size_t>(end - p));
        const char* after = like_before.read(p, p + reach, fields);
        if (after == nullptr) {
            const EventEnd parsed = parse_event(p, p + reach, fields);
            if (parsed.status != Scan::ok || parsed.as != ParsedAs::event) break;
            after = parsed.position;
            like_before.learn(p, after, fields);
        }
        if (!fields.ph.is_null()) {
            any_event_ = true;
        } else if (fields.any) {
            ++elements_;
        }
        sink_.add(fields);
        p = after;
    }
    last_ = static_cast<std::size_t>(p - block.data());
    const std::string_view taken = block.substr(first_, last_ - first_);
    line_ends_ = count_line_ends(taken);
    const std::size_t last = taken.rfind('\n');
    last_line_end_ = last == std::string_view::npos ? 0 : last + 1;
}

// The size of the block when there is none.
std::size_t TraceEventPart::find_first_event(std::string_view block, EventFields& fields) {
    const char* end = block.data() + block.size();
    std::size_t wasted = 0;
    for (std::size_t brace = block.find('{'); brace != std::string_view::npos; brace = block.find('{', brace + 1)) {
        std::size_t before = brace;
        while (before > 0 && is_space(block[before - 1])) --before;
        if (before > 0 && block[before - 1] == ':') continue;  // the value of a member, such as "args"
        const char* p = block.data() + brace;
        const EventBegin begin = event_begins(p, end, max_event_bytes, fields);
        if (begin.answer == Answer::yes) return brace;
        wasted += static_cast<std::size_t>(begin.seen - p);
        if (wasted > max_wasted_bytes) break;
    }
    return block.size();
}

}  // namespace tilescope
