// A trace-event file as a stream of bytes: finds the events, whatever stands around them and however damaged it is.
//
// Bytes are kept only until the value they belong to is whole. Every decision depends on the bytes alone, never on how they
// were split into buffers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trace_event/boundary.hpp"
#include "trace_event/fields.hpp"
#include "trace_event/json_skip.hpp"
#include "trace_event/kept_members.hpp"
#include "trace_event/part.hpp"
#include "trace_event/sink.hpp"

namespace tilescope {

// The file is no trace-event JSON. Line and column count from 1, in bytes.
struct NotTraceJson : std::runtime_error {
    NotTraceJson(const std::string& what, std::uint64_t offset_, std::uint64_t line_, std::uint64_t column_)
        : std::runtime_error(what), offset(offset_), line(line_), column(column_) {}

    std::uint64_t offset;
    std::uint64_t line;
    std::uint64_t column;
};

// The part of the file in which it ended.
enum class EndedIn { nothing, complete, array, object, value, event, damage };

class TraceEventStream {
  public:
    // Keeps so many members of objects beside the events.
    explicit TraceEventStream(std::size_t max_members, TimeUnit unit = TimeUnit::microseconds)
        : sink_(unit), members_(max_members) {}

    // Arguments are packed, which `texts` outlives. Before anything is fed.
    void pack_arguments(PackedTexts& texts);

    // Throws NotTraceJson; the stream must not be used after that.
    void feed(std::string_view data);

    // The same, where a part has been read from these bytes already. The part is used up.
    void feed(std::string_view data, TraceEventPart& part);

    void finish();

    EventSink& sink() { return sink_; }
    const EventSink& sink() const { return sink_; }
    KeptMembers& members() { return members_; }

    std::uint64_t parts_taken() const { return parts_taken_; }  // of those that were fed
    EndedIn ended_in() const { return ended_in_; }
    // The offset of the first byte that has not been dealt with.
    std::uint64_t offset() const { return buffer_offset_ + position_; }
    std::uint64_t cut_offset() const { return cut_offset_; }  // of the event that the file ends in
    std::uint64_t elements() const { return elements_; }  // of event arrays, empty objects and nulls not counted
    bool has_event_array() const { return has_event_array_; }
    bool event_array_is_none() const { return event_array_is_none_; }
    // That of the outer object; else that of its `viztracer_metadata`.
    const std::optional<std::int64_t>& base_time_ns() const {
        return base_time_ns_ ? base_time_ns_ : viztracer_base_ns_;
    }
    bool base_time_differs() const {
        return base_time_differs_ || (base_time_ns_ && viztracer_base_ns_ && *base_time_ns_ != *viztracer_base_ns_);
    }
    const std::string& host_name() const { return host_name_; }
    std::uint64_t samples() const { return samples_; }  // objects in members `samples` that are whole

  private:
    enum class State { top, array, resync, member, member_value, skip };
    enum class Step { more, go_on };  // more: nothing can be done before more bytes come

    void append(std::string_view data);
    bool between_events() const;
    void run();
    Step step_top();
    Step step_top_object();
    Step step_array();
    Step step_element();
    Step step_event();
    Step step_resync();
    Step step_member();
    Step step_member_value();
    Step step_known_member();
    Step step_skip();

    Step wait();
    Step resync_from(State home, std::string_view reason);
    Step cut_or_wait(State home);
    Step repair_or_resync(State home);
    Step bad_object();
    Answer array_ends_here() const;
    void enter_object();
    void accept_event(const char* after);
    void keep_base_time(const RawValue& value, std::optional<std::int64_t>& kept);

    const char* here() const { return buffer_.data() + position_; }
    const char* end() const { return buffer_.data() + buffer_.size(); }
    const char* reach(std::size_t bytes) const { return here() + std::min(bytes, available()); }
    std::size_t available() const { return buffer_.size() - position_; }
    void move_to(const char* p) { position_ = static_cast<std::size_t>(p - buffer_.data()); }
    bool skip_to_content(bool over_commas);
    [[noreturn]] void refuse(const std::string& what, const char* p) const;
    void forget_consumed();

    EventSink sink_;
    std::unique_ptr<TextPacker> packer_;
    EventFields fields_;

    std::string buffer_;
    std::size_t position_ = 0;  // of the first byte in `buffer_` that has not been dealt with
    std::uint64_t buffer_offset_ = 0;  // of `buffer_` in the file
    std::uint64_t lines_before_ = 0;  // line ends before `buffer_`
    std::uint64_t last_line_end_ = 0;  // file offset behind the last of them
    std::size_t retry_at_ = 0;  // how many bytes must be there before an incomplete value is tried again
    bool finished_ = false;

    State state_ = State::top;
    State home_ = State::top;  // where resynchronising leads back to
    bool in_object_ = false;  // the array is a member of an object
    bool any_value_ = false;  // something has begun
    char resync_before_ = 0;  // resynchronising: the last character before `position_` that is no white space
    bool maybe_cut_ = false;  // resynchronising: the event may be the last one, cut short, rather than damaged
    std::string member_;  // name of the member whose value comes
    ValueSkipper skipper_;
    bool keeps_member_ = false;  // the one that is passed over
    KeptMembers members_;

    std::uint64_t parts_taken_ = 0;
    EndedIn ended_in_ = EndedIn::nothing;
    std::uint64_t cut_offset_ = 0;
    std::uint64_t elements_ = 0;
    bool has_event_array_ = false;
    bool event_array_is_none_ = false;
    bool any_event_ = false;
    std::optional<std::int64_t> base_time_ns_;
    std::optional<std::int64_t> viztracer_base_ns_;
    bool base_time_differs_ = false;
    std::string host_name_;
    std::uint64_t samples_ = 0;
};

}  // namespace tilescope
