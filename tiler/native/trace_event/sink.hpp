// From the text of one event to rows: checks it, finds its track, counts it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "columns/name_entries.hpp"
#include "columns/packed_texts.hpp"
#include "trace_event/columns.hpp"
#include "trace_event/fields.hpp"
#include "trace_event/keys.hpp"
#include "trace_event/sides.hpp"
#include "trace_event/tracks.hpp"

namespace tilescope {

class EventSink {
  public:
    explicit EventSink(TimeUnit unit = TimeUnit::microseconds) : time_unit_(unit) {}

    // True if the members make an event at all, as far as resynchronising needs to know.
    static bool looks_like_event(const EventFields& event);

    // From now on arguments are packed, by a packer that outlives the last call of `add`; null: they are kept as text.
    void pack_arguments(TextPacker* packer) { packer_ = packer; }

    void add(const EventFields& event);

    // Takes over all that a part of the file has found, as if its events had been added here.
    void absorb(EventSink& part);

    void ignore(std::string_view reason, std::int64_t count = 1) {
        ends_in_nothing_ = false;
        ignored_[std::string(reason)] += count;
    }

    // To be called behind the last event. Says no more of an empty object there: JAX ends its lists with one.
    void finish();

    // Rows come in chunks: `chunk_ready` says whether one has been filled, `take_chunk` gives it, and in the end the rest.
    bool chunk_ready() const { return !ready_.empty(); }
    EventColumns take_chunk();
    std::size_t row_count() const;  // of all chunks that have not been taken
    void end_large_chunk();         // makes what has been gathered a chunk when it is large enough for one

    const Tracks& tracks() const { return tracks_; }
    const EventKeys& keys() const { return keys_; }
    const NameEntries& names() const { return names_; }
    // By track, as far as its rows have been taken: the sides of their categories, which are bits.
    const std::vector<std::uint8_t>& track_sides() const { return track_sides_; }
    const std::map<std::string, std::int64_t>& ignored() const { return ignored_; }

    // By phase letter: events as they are written, and of these the ones that were read.
    const std::array<std::int64_t, 128>& written() const { return written_; }
    const std::array<std::int64_t, 128>& read() const { return read_; }
    std::int64_t written_total() const { return written_total_; }  // without M
    // Events with samples of V8's CPU profiler, of those that were read.
    std::int64_t v8_profiles() const { return v8_profiles_; }

  private:
    bool read_time(const EventFields& event, EventRow& row);
    bool read_duration(const EventFields& event, EventRow& row);
    bool add_timed(const EventFields& event, char phase);
    void add_metadata(const EventFields& event);
    void add_complete(const EventFields& event, EventRow& row);
    void add_instant(const EventFields& event, EventRow& row);
    void add_async(const EventFields& event, char phase, EventRow& row);
    bool add_counter(const EventFields& event, EventRow& row);
    void add_flow(const EventFields& event, char phase, EventRow& row);
    void add_bound_flow(const EventFields& event, const EventRow& slice);
    void put(const EventFields& event, EventRow& row);
    void put_slice(const EventFields& event, EventRow& row);  // and the flow end that it has by its `bind_id`
    void put_args(const std::vector<std::string_view>& members);  // of the row that is added next
    struct Member {
        std::string_view key;
        RawValue value;
    };
    // All that no column holds, and these members, which the track of such an event does not say.
    void put_args_with(const EventFields& event, std::initializer_list<Member> more);
    std::int32_t name_of(const EventFields& event);
    static RawValue task_type_of(const EventFields& event);
    static std::string_view decoded(const RawValue& value, std::string& scratch);
    void renumber(EventSink& part);
    void end_chunk();
    void note_sides(const EventColumns& chunk);
    void note_categories();
    Side side_of_name(std::int32_t name) const {
        return category_sides_[static_cast<std::size_t>(names_.at(name).category)];
    }

    TimeUnit time_unit_;
    Tracks tracks_;
    EventKeys keys_;
    NameEntries names_;
    std::vector<Side> category_sides_;
    std::vector<std::uint8_t> track_sides_;
    TextPacker* packer_ = nullptr;
    EventColumns rows_;
    std::deque<EventColumns> ready_;
    std::map<std::string, std::int64_t> ignored_;
    std::array<std::int64_t, 128> written_{};
    std::array<std::int64_t, 128> read_{};
    std::int64_t written_total_ = 0;
    std::int64_t v8_profiles_ = 0;
    bool ends_in_nothing_ = false;  // the last element is an object without members
    std::string name_scratch_;
    std::string category_scratch_;
};

}  // namespace tilescope
