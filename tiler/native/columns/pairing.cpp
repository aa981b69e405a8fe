#include "columns/pairing.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>
#include <vector>

#include "columns/event_codes.hpp"
#include "columns/radix_order.hpp"

namespace tilescope {

namespace {

constexpr std::int64_t none = -1;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_end(std::int64_t start, std::int64_t duration) {
    if (duration <= 0) return start;
    return start > never - duration ? never : start + duration;
}

// end >= start; their distance may exceed int64 only where no trace time does.
std::int64_t distance(std::int64_t start, std::int64_t end) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start));
}

// Names as small numbers, so that a table indexed by them is never much larger than the track. Name -1 has one too.
class NameNumbers {
  public:
    explicit NameNumbers(const PairingInput& input) {
        std::int32_t highest = none;
        for (std::size_t row = 0; row < input.name.size(); ++row) {
            if (input.name[row] < none) throw std::invalid_argument("a name is below -1");
            highest = std::max(highest, input.text(row));
        }
        count_ = static_cast<std::size_t>(highest + std::int64_t{2});
        if (count_ <= 4 * input.name.size() + 1024) return;
        distinct_.resize(input.name.size());
        for (std::size_t row = 0; row < distinct_.size(); ++row) distinct_[row] = input.text(row);
        std::sort(distinct_.begin(), distinct_.end());
        distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
        count_ = distinct_.size();
    }

    std::size_t count() const { return count_; }

    std::size_t number_of(std::int32_t name) const {
        if (distinct_.empty()) return static_cast<std::size_t>(name + std::int64_t{1});
        return static_cast<std::size_t>(std::lower_bound(distinct_.begin(), distinct_.end(), name) - distinct_.begin());
    }

  private:
    std::size_t count_ = 0;
    std::vector<std::int32_t> distinct_;
};

struct OpenSlice {
    std::int64_t slice;      // index into the output
    std::int64_t limit;      // where it must end should its END never come
    std::int64_t below;      // neighbours on the stack, towards the outermost and the innermost
    std::int64_t above;
    std::int64_t same_name;  // the next one further out that has the same name
    std::uint32_t name;      // number of the name
};

// Bytes that a slice that is open beside others takes later, as `OPEN_SLICE_BYTES` says of all memory.
constexpr std::size_t kOpenBytes = 96;

// The open slices of one key. Every step is O(1), or O(log n) for the complete slices around.
class Stack {
  public:
    Stack(const PairingInput& input, const PairedColumns& out, PairingCounts& counts, std::size_t name_count,
          MemoryBudget* budget)
        : input_(input),
          out_(out),
          counts_(counts),
          innermost_of_name_(name_count, none),
          entries_(budget),
          free_(budget),
          complete_ends_({}, CountedVector<std::int64_t>(budget)) {}

    bool empty() const { return top_ == none; }

    // So many will be open at once.
    void reserve(std::size_t slices) { entries_.reserve(slices); }

    void complete(std::int64_t end) { complete_ends_.push(end); }

    void begin(std::int64_t slice, std::int64_t time, std::size_t name) {
        while (!complete_ends_.empty() && complete_ends_.top() <= time) complete_ends_.pop();
        const std::int64_t limit = complete_ends_.empty() ? never : complete_ends_.top();
        const std::int64_t entry = allocate();
        at(entry) = {slice, limit, top_, none, innermost_of_name_[name], static_cast<std::uint32_t>(name)};
        if (top_ != none) at(top_).above = entry;
        innermost_of_name_[name] = entry;
        top_ = entry;
    }

    // Needs an open slice. `name` is `none` for an END without a name.
    void end(std::int64_t row, std::int64_t time, std::int64_t name) {
        std::int64_t entry = top_;
        if (name != none && static_cast<std::size_t>(name) != at(top_).name) {
            const std::int64_t named = innermost_of_name_[static_cast<std::size_t>(name)];
            if (named != none) {
                entry = named;
            } else {
                out_.flags[static_cast<std::size_t>(at(top_).slice)] |= event_flag::renamed;
                ++counts_.renamed;
            }
        }
        const OpenSlice closed = at(entry);
        remove(entry, time);
        const auto slice = static_cast<std::size_t>(closed.slice);
        out_.duration[slice] = distance(out_.start[slice], time);
        out_.end_source[slice] = row;
        if (name != none && static_cast<std::size_t>(name) == closed.name)
            settle_category(out_.name[slice], input_.name[static_cast<std::size_t>(row)]);
    }

    // Closes what is left and forgets everything.
    void finish(std::int64_t trace_end) {
        std::int64_t entry = top_;
        while (entry != none && at(entry).below != none) entry = at(entry).below;
        CountedVector<std::int64_t> parent_ends(entries_.get_allocator());
        for (; entry != none; entry = at(entry).above) {
            const OpenSlice& open = at(entry);
            const auto slice = static_cast<std::size_t>(open.slice);
            const std::int64_t start = out_.start[slice];
            while (!parent_ends.empty() && parent_ends.back() <= start) parent_ends.pop_back();
            const std::int64_t parent_end = parent_ends.empty() ? trace_end : parent_ends.back();
            const std::int64_t end = std::max(start, std::min(open.limit, parent_end));
            parent_ends.push_back(end);
            out_.duration[slice] = distance(start, end);
            out_.flags[slice] |= event_flag::open;
            ++counts_.begins_without_end;
            innermost_of_name_[open.name] = none;
        }
        top_ = none;
        entries_.clear();
        free_.clear();
        complete_ends_ = Ends({}, CountedVector<std::int64_t>(entries_.get_allocator()));
    }

  private:
    OpenSlice& at(std::int64_t entry) { return entries_[static_cast<std::size_t>(entry)]; }

    // Chooses between names with one text: where the begin says no category, that of the end is the slice's.
    void settle_category(std::int32_t& begin, std::int32_t end) {
        if (!input_.namesakes) return;
        const Span<const std::uint8_t> has_category = input_.namesakes->has_category;
        if (begin == end || has_category[static_cast<std::size_t>(end)] == 0) return;
        if (has_category[static_cast<std::size_t>(begin)] == 0) {
            begin = end;
        } else {
            ++counts_.recategorised;
        }
    }

    std::int64_t allocate() {
        if (free_.empty()) {
            entries_.emplace_back();
            return static_cast<std::int64_t>(entries_.size()) - 1;
        }
        const std::int64_t entry = free_.back();
        free_.pop_back();
        return entry;
    }

    // `entry` is the innermost of its name: it is the top, or it was found by its name.
    void remove(std::int64_t entry, std::int64_t time) {
        const OpenSlice open = at(entry);
        innermost_of_name_[open.name] = open.same_name;
        if (open.below != none) at(open.below).above = open.above;
        if (open.above == none) {
            top_ = open.below;
        } else {
            OpenSlice& child = at(open.above);
            child.below = open.below;
            child.limit = std::min(child.limit, time);
        }
        free_.push_back(entry);
    }

    using Ends = std::priority_queue<std::int64_t, CountedVector<std::int64_t>, std::greater<>>;

    const PairingInput& input_;
    const PairedColumns& out_;
    PairingCounts& counts_;
    std::vector<std::int64_t> innermost_of_name_;
    CountedVector<OpenSlice> entries_;
    CountedVector<std::int64_t> free_;
    std::int64_t top_ = none;
    Ends complete_ends_;
};

Phase phase_of(const PairingInput& input, std::size_t row) { return static_cast<Phase>(input.phase[row]); }

// Counts and order of the rows that take part in pairing.
struct Census {
    std::size_t rows = 0;
    std::size_t slices = 0;
    bool any_pair = false;
    bool in_order_of_time = true;
    bool in_order_of_keys = true;
    bool in_order = true;  // of keys, and of time within each
};

Census census_of(const PairingInput& input) {
    const std::size_t size = input.size();
    Census census;
    std::size_t before = size;
    for (std::size_t row = 0; row < size; ++row) {
        const Phase phase = phase_of(input, row);
        if (phase > Phase::end) continue;
        ++census.rows;
        census.slices += phase != Phase::end;
        census.any_pair = census.any_pair || phase != Phase::complete;
        if (before != size) {
            const bool earlier = input.time[row] < input.time[before];
            const std::int64_t key = input.key ? (*input.key)[row] : 0;
            const std::int64_t key_before = input.key ? (*input.key)[before] : 0;
            census.in_order_of_time = census.in_order_of_time && !earlier;
            census.in_order_of_keys = census.in_order_of_keys && key >= key_before;
            census.in_order = census.in_order && (key != key_before ? key > key_before : !earlier);
        }
        before = row;
    }
    return census;
}

// Writes the slices with the durations that are known already.
void lay_out(const PairingInput& input, const PairedColumns& out) {
    std::size_t slice = 0;
    for (std::size_t row = 0; row < input.phase.size(); ++row) {
        const Phase phase = phase_of(input, row);
        if (phase >= Phase::end) continue;
        out.start[slice] = input.time[row];
        out.duration[slice] = phase == Phase::complete ? input.duration[row] : 0;
        out.name[slice] = input.name[row];
        out.source[slice] = static_cast<std::int64_t>(row);
        out.end_source[slice] = none;
        out.flags[slice] = 0;
        ++slice;
    }
}

// The rows that take part in pairing, by key, then by time, then as they stand.
class RowOrder {
  public:
    RowOrder(const PairingInput& input, const Census& census, Span<std::int64_t> space) : input_(input) {
        if (census.in_order) return;
        const std::size_t size = input.phase.size();
        slice_of_row_ = space.first(size);
        order_ = space.subspan(size, census.rows);
        const Span<std::int64_t> rest = space.subspan(size + census.rows);
        std::size_t k = 0;
        std::int64_t slice = 0;
        for (std::size_t row = 0; row < size; ++row) {
            const Phase phase = phase_of(input, row);
            if (phase > Phase::end) continue;
            order_[k++] = static_cast<std::int64_t>(row);
            if (phase != Phase::end) slice_of_row_[row] = slice++;
        }
        if (!census.in_order_of_time) stable_order_by(input.time, order_, rest);
        if (!census.in_order_of_keys || !census.in_order_of_time) {
            if (input.key) stable_order_by(*input.key, order_, rest);
        }
    }

    // Visits the rows: (row, slice that it begins, or -1; whether it is the first of another key).
    template <typename Visit>
    void each(Visit visit) const {
        std::size_t before = none_before;
        const auto go_to = [&](std::size_t row, std::int64_t slice) {
            visit(row, slice, before != none_before && input_.key && (*input_.key)[row] != (*input_.key)[before]);
            before = row;
        };
        if (!order_.empty()) {
            for (const std::int64_t entry : order_) {
                const auto row = static_cast<std::size_t>(entry);
                go_to(row, phase_of(input_, row) == Phase::end ? none : slice_of_row_[row]);
            }
            return;
        }
        std::int64_t slice = 0;
        for (std::size_t row = 0; row < input_.phase.size(); ++row) {
            const Phase phase = phase_of(input_, row);
            if (phase > Phase::end) continue;
            go_to(row, phase == Phase::end ? none : slice++);
        }
    }

  private:
    static constexpr std::size_t none_before = ~std::size_t{0};

    const PairingInput& input_;
    Span<std::int64_t> slice_of_row_;
    Span<std::int64_t> order_;  // empty: as they stand
};

// The most slices that are open at once: so that room for them is made once, or is refused before it is.
std::size_t most_open(const PairingInput& input, const RowOrder& order) {
    std::size_t open = 0;
    std::size_t most = 0;
    order.each([&](std::size_t row, std::int64_t, bool is_of_other_key) {
        if (is_of_other_key) open = 0;
        const Phase phase = phase_of(input, row);
        if (phase == Phase::begin) most = std::max(most, ++open);
        else if (phase == Phase::end && open > 0) --open;
    });
    return most;
}

PairingRoom room_of(const PairingInput& input, const Census& census) {
    if (!census.any_pair || census.in_order) return {census.slices, 0};
    return {census.slices, input.phase.size() + (1 + kOrderSpace) * census.rows};
}

}  // namespace

PairingRoom pairing_room(const PairingInput& input) { return room_of(input, census_of(input)); }

PairingCounts pair_slices(const PairingInput& input, const PairedColumns& out, Span<std::int64_t> space,
                          MemoryBudget* budget) {
    const Census census = census_of(input);
    const PairingRoom room = room_of(input, census);
    if (same_size(out.start, out.duration, out.name, out.source, out.end_source, out.flags) != room.slices ||
        space.size() != room.space) {
        throw std::invalid_argument("there is not the room that pairing needs");
    }
    lay_out(input, out);
    PairingCounts counts;
    if (!census.any_pair) return counts;

    const RowOrder order(input, census, space);
    const NameNumbers names(input);
    const std::size_t open = most_open(input, order);
    // Their tiles will take more: what is refused then need not be paired first.
    if (budget != nullptr) BudgetCharge(*budget, open * kOpenBytes);
    Stack stack(input, out, counts, names.count(), budget);
    stack.reserve(open);
    order.each([&](std::size_t row, std::int64_t slice, bool is_of_other_key) {
        if (is_of_other_key) stack.finish(input.trace_end);
        const std::int64_t time = input.time[row];
        switch (phase_of(input, row)) {
        case Phase::complete: stack.complete(saturating_end(time, input.duration[row])); break;
        case Phase::begin: stack.begin(slice, time, names.number_of(input.text(row))); break;
        default:
            if (stack.empty()) {
                ++counts.ends_without_begin;
            } else {
                const std::int32_t name = input.text(row);
                stack.end(static_cast<std::int64_t>(row), time,
                          name < 0 ? none : static_cast<std::int64_t>(names.number_of(name)));
            }
        }
    });
    stack.finish(input.trace_end);
    return counts;
}

}  // namespace tilescope
