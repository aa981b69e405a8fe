// Arguments of a device's operations without what is told elsewhere: how long each took is in the record of its operation,
// and when it began is near to when the one before did.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/span.hpp"
#include "xspace/placed_stat.hpp"
#include "xspace/usual_operation.hpp"
#include "xspace/wire.hpp"

namespace tilescope::xspace {

constexpr std::int64_t kNanosecond = 1000;  // in picoseconds: events often have whole ones, and the rest is small then

// Arguments of events as they are stored, but for a checksum of their durations: tiler/details/chunk.py says how. What
// restores stats that were taken out are their tags and ids, the first begin, then columns: places counted from 1, 0 for
// none, of both stats, and by how much begins differ, in whole nanoseconds and what is left of them.
struct OperationChunk {
    std::size_t first = 0, count = 0;  // events
    std::size_t checksum_at = 0;  // where four bytes are left for it
    std::vector<std::uint8_t> bytes;
};

// Takes two stats out of arguments that are integers as encoders write them: one that says how long the event took on the
// device, if its duration is just that, and one that says when it began. Damaged arguments stay as they are.
class OperationChunks {
  public:
    // A chunk has at most so many events, and so many bytes of arguments if they are of more than one.
    OperationChunks(const TimeIds& ids, std::size_t most_events, std::size_t most_bytes);

    // The next event, with the arguments `args`: where the two stats lie in them, and its duration. `all_end`: where the
    // bytes end among which they lie.
    void add(const wire::Source& args, const std::uint8_t* all_end, const PlacedTimes& times, std::int64_t duration);

    // The same of one whose arguments are as nearly all are.
    void add(const wire::Source& args, const std::uint8_t* all_end, const UsualOperation& usual) {
        const bool has_room = count_ != most_events_ && bytes_ + args.size() <= most_bytes_;
        if (!has_room || tags_[0] != usual.duration.tag || tags_[1] != usual.begin.tag) {
            add(args, all_end, usual.times(), static_cast<std::int64_t>(usual.duration.value));
            return;
        }
        bytes_ += args.size();
        step_to(usual.begin.value);
        // No more bytes than a varint that is read quickly has, and there is room for kShort.
        std::memcpy(left_.data() + left_size_, args.data(), sizeof(std::uint64_t));
        left_size_ += usual.metadata_size;
        const std::size_t rest = usual.size();
        if (rest != args.size()) copy(args.data() + rest, args.size() - rest, all_end);
        ends_[count_] = static_cast<std::int64_t>(left_size_);
        places_[0][count_] = static_cast<std::uint16_t>(usual.metadata_size + usual.begin.size + 1);
        places_[1][count_] = static_cast<std::uint16_t>(usual.metadata_size + 1);
        ++count_;
    }

    // Ends the chunk, if it has any events.
    void end();

    // Takes those that have ended: events that come next are the first again.
    std::vector<OperationChunk> take();

    std::size_t most_events() const { return most_events_; }
    std::size_t most_bytes() const { return most_bytes_; }

  private:
    static std::uint64_t zigzag(std::int64_t value) {
        return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    }

    bool is_of_tag(const PlacedStat& stat, std::size_t which);
    void step_to(std::uint64_t begin) {
        if (!has_begins_) first_begin_ = begin_ = begin;
        has_begins_ = true;
        const auto step = static_cast<std::int64_t>(begin - begin_);
        begin_ = begin;
        std::int64_t whole = step / kNanosecond, rest = step % kNanosecond;
        if (rest < 0) {
            rest += kNanosecond;
            --whole;
        }
        steps_[count_] = zigzag(whole);
        rests_[count_] = static_cast<std::uint16_t>(rest);
    }
    void copy(const std::uint8_t* from, std::size_t size, const std::uint8_t* all_end);
    void write(OperationChunk& chunk) const;

    TimeIds ids_;
    std::size_t most_events_, most_bytes_;
    std::vector<OperationChunk> ended_;
    std::size_t first_ = 0;
    // The chunk that has not ended.
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;  // of arguments
    std::array<std::uint8_t, 2> tags_{};  // of the values of both stats; 0: none was seen
    std::uint64_t first_begin_ = 0, begin_ = 0;
    bool has_begins_ = false;
    std::array<std::vector<std::uint16_t>, 2> places_;
    std::vector<std::uint16_t> rests_;
    std::vector<std::uint64_t> steps_;
    std::vector<std::int64_t> ends_;
    std::vector<std::uint8_t> left_;
    std::size_t left_size_ = 0;
};

// The arguments of events, event k those of [ends[k-1], ends[k]).
struct ArgsColumn {
    std::vector<std::int64_t> ends;
    std::vector<std::uint8_t> args;
};

// The inverse: of what is left, what restores the rest, and the durations. Throws std::invalid_argument for what
// `OperationChunks` did not make.
ArgsColumn whole_args(Span<const std::int64_t> left_end, const wire::Source& left, const wire::Source& taken,
                      Span<const std::int64_t> duration);

}  // namespace tilescope::xspace
