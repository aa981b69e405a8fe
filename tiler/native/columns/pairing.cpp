#include "columns/pairing.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>

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
        for (const std::int32_t name : input.name) {
            if (name < none) throw std::invalid_argument("a name is below -1");
            highest = std::max(highest, name);
        }
        count_ = static_cast<std::size_t>(highest + std::int64_t{2});
        if (count_ <= 4 * input.name.size() + 1024) return;
        distinct_.assign(input.name.begin(), input.name.end());
        std::sort(distinct_.begin(), distinct_.end());
        distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
        count_ = distinct_.size();
    }

    std::size_t count() const { return count_; }

    std::size_t of(std::int32_t name) const {
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

// What a slice that is open beside others takes later, as `OPEN_SLICE_BYTES` says of all memory.
constexpr std::size_t kOpenBytes = 96;

// The open slices of one key. Every step is O(1), or O(log n) for the complete slices around.
class Stack {
  public:
    Stack(PairedColumns& out, std::size_t name_count, MemoryBudget* budget)
        : out_(out),
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
                ++out_.renamed;
            }
        }
        const OpenSlice closed = at(entry);
        remove(entry, time);
        const auto slice = static_cast<std::size_t>(closed.slice);
        out_.duration[slice] = distance(out_.start[slice], time);
        out_.end_source[slice] = row;
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
            ++out_.begins_without_end;
            innermost_of_name_[open.name] = none;
        }
        top_ = none;
        entries_.clear();
        free_.clear();
        complete_ends_ = Ends({}, CountedVector<std::int64_t>(entries_.get_allocator()));
    }

  private:
    OpenSlice& at(std::int64_t entry) { return entries_[static_cast<std::size_t>(entry)]; }

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

    PairedColumns& out_;
    std::vector<std::int64_t> innermost_of_name_;
    CountedVector<OpenSlice> entries_;
    CountedVector<std::int64_t> free_;
    std::int64_t top_ = none;
    Ends complete_ends_;
};

Phase phase_of(const PairingInput& input, std::size_t row) { return static_cast<Phase>(input.phase[row]); }

// Writes the slices with the durations that are known already. Returns the rows that take part in pairing.
std::vector<std::int64_t> lay_out(const PairingInput& input, PairedColumns& out, bool& any_pair) {
    std::size_t slices = 0;
    std::size_t rows = 0;
    any_pair = false;
    for (std::size_t row = 0; row < input.phase.size(); ++row) {
        const Phase phase = phase_of(input, row);
        slices += phase == Phase::complete || phase == Phase::begin;
        rows += phase <= Phase::end;
        any_pair = any_pair || phase == Phase::begin || phase == Phase::end;
    }
    out.start.reserve(slices);
    out.duration.reserve(slices);
    out.name.reserve(slices);
    out.source.reserve(slices);
    std::vector<std::int64_t> order;
    if (any_pair) order.reserve(rows);
    for (std::size_t row = 0; row < input.phase.size(); ++row) {
        const Phase phase = phase_of(input, row);
        if (phase > Phase::end) continue;
        if (any_pair) order.push_back(static_cast<std::int64_t>(row));
        if (phase == Phase::end) continue;
        out.start.push_back(input.time[row]);
        out.duration.push_back(phase == Phase::complete ? input.duration[row] : 0);
        out.name.push_back(input.name[row]);
        out.source.push_back(static_cast<std::int64_t>(row));
    }
    out.end_source.assign(slices, none);
    out.flags.assign(slices, 0);
    return order;
}

template <typename Value>
bool never_decreases(const std::vector<std::int64_t>& order, Span<const Value> values) {
    for (std::size_t k = 1; k < order.size(); ++k) {
        if (values[static_cast<std::size_t>(order[k])] < values[static_cast<std::size_t>(order[k - 1])]) return false;
    }
    return true;
}

// How many slices are open at once, at most: so that room for them is made once, or is refused before it is.
std::size_t most_open(const PairingInput& input, const std::vector<std::int64_t>& order) {
    std::size_t open = 0;
    std::size_t most = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto row = static_cast<std::size_t>(order[k]);
        if (k > 0 && input.is_of_other_key(row, order[k - 1])) open = 0;
        const Phase phase = phase_of(input, row);
        if (phase == Phase::begin) most = std::max(most, ++open);
        else if (phase == Phase::end && open > 0) --open;
    }
    return most;
}

}  // namespace

PairedColumns pair_slices(const PairingInput& input, MemoryBudget* budget) {
    const std::size_t rows = same_size(input.time, input.duration, input.phase, input.name);
    if (input.key) same_size(input.time, *input.key);
    PairedColumns out;
    bool any_pair = false;
    std::vector<std::int64_t> order = lay_out(input, out, any_pair);
    if (!any_pair) return out;

    std::vector<std::int64_t> slice_of_row(rows, none);
    for (std::size_t slice = 0; slice < out.source.size(); ++slice) {
        slice_of_row[static_cast<std::size_t>(out.source[slice])] = static_cast<std::int64_t>(slice);
    }
    if (!never_decreases(order, input.time)) stable_order_by(input.time, order);
    if (input.key && !never_decreases(order, *input.key)) stable_order_by(*input.key, order);

    const NameNumbers names(input);
    const std::size_t open = most_open(input, order);
    // Their tiles will take more: what is refused then need not be paired first.
    if (budget != nullptr) BudgetCharge(*budget, open * kOpenBytes);
    Stack stack(out, names.count(), budget);
    stack.reserve(open);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto row = static_cast<std::size_t>(order[k]);
        if (k > 0 && input.is_of_other_key(row, order[k - 1])) stack.finish(input.trace_end);
        const std::int64_t time = input.time[row];
        switch (phase_of(input, row)) {
        case Phase::complete: stack.complete(saturating_end(time, input.duration[row])); break;
        case Phase::begin: stack.begin(slice_of_row[row], time, names.of(input.name[row])); break;
        default:
            if (stack.empty()) {
                ++out.ends_without_begin;
            } else {
                const std::int32_t name = input.name[row];
                stack.end(order[k], time, name < 0 ? none : static_cast<std::int64_t>(names.of(name)));
            }
        }
    }
    stack.finish(input.trace_end);
    return out;
}

}  // namespace tilescope
