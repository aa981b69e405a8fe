// The events of one block of a file, read without knowing what stands before it.
//
// Where the block's first event begins is a guess, and what the events mean is known as far as the block tells. The stream
// takes a part over when it arrives at exactly that place between two events; otherwise it reads the block itself. So a part
// changes how fast a file is read, never what is read.
//
// The block may lie in a mapped file, which somebody may write or shorten meanwhile: what is read then means nothing, and no
// byte beside the block is read or written for it. A byte that was looked at is not taken for the same when it is read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace_event/sink.hpp"

namespace tilescope {

class TraceEventPart {
  public:
    // Reads whole events one after the other, from the first in the block to the last, or to anything else that stands there.
    // Arguments are packed, if there is where.
    explicit TraceEventPart(std::string_view block, PackedTexts* texts = nullptr,
                            TimeUnit unit = TimeUnit::microseconds);

    bool empty() const { return first_ == last_; }

    // The bytes of the block that were read: [first, last).
    std::size_t first() const { return first_; }
    std::size_t last() const { return last_; }

    EventSink& sink() { return sink_; }

    bool any_event() const { return any_event_; }
    std::uint64_t elements() const { return elements_; }  // objects with members that are no events
    std::uint64_t line_ends() const { return line_ends_; }  // in these bytes
    std::size_t last_line_end() const { return last_line_end_; }  // behind the last of them, counted from first()

  private:
    void read(std::string_view block, ShapeGuess* guess);
    static std::size_t find_first_event(std::string_view block, EventFields& fields);

    EventSink sink_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::uint64_t elements_ = 0;
    std::uint64_t line_ends_ = 0;
    std::size_t last_line_end_ = 0;
    bool any_event_ = false;
};

}  // namespace tilescope
