#include "columns/launch_join.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

namespace {

// A table of numbers has up to so many places for each work.
constexpr std::uint64_t kSpread = 2;

bool is_work(std::int64_t key) { return ((-2 - key) & 1) != 0; }
std::int64_t number_of(std::int64_t key) { return (-2 - key) >> 1; }
std::uint8_t state_of(const NumberedSlices& slices, std::size_t row) {
    return slices.state.empty() ? std::uint8_t{0} : slices.state[row];
}
bool is_free_work(const NumberedSlices& slices, std::size_t row) {
    return is_work(slices.key[row]) && (state_of(slices, row) & kFlowJoins) == 0;
}

}  // namespace

// The numbers of work that no flow joins.
class LaunchJoin::Slots {
  public:
    // Profilers count calls up, most of which launch nothing: places by distance take a tenth of the time of a search.
    Slots(const std::vector<NumberedSlices>& tracks, std::size_t works, std::int64_t least, std::int64_t greatest)
        : least_(least) {
        const std::uint64_t span = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
        if (works == 0) return;
        if (span < kSpread * works) {
            slots_.resize(static_cast<std::size_t>(span) + 1);
            return;
        }
        numbers_.reserve(works);
        for (const NumberedSlices& slices : tracks) {
            for (std::size_t row = 0; row < slices.key.size(); ++row) {
                if (is_free_work(slices, row)) numbers_.push_back(number_of(slices.key[row]));
            }
        }
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
        slots_.resize(numbers_.size());
    }

    // Null: no work has the number.
    Slot* find(std::int64_t number) {
        std::size_t place = 0;
        if (numbers_.empty()) {
            place = static_cast<std::size_t>(static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least_));
            if (place >= slots_.size()) return nullptr;
        } else {
            const auto nearest = std::lower_bound(numbers_.begin(), numbers_.end(), number);
            if (nearest == numbers_.end() || *nearest != number) return nullptr;
            place = static_cast<std::size_t>(nearest - numbers_.begin());
        }
        return &slots_[place];
    }

    const std::vector<Slot>& all() const { return slots_; }

  private:
    std::int64_t least_;
    std::vector<std::int64_t> numbers_;  // that do not lie close together, ascending
    std::vector<Slot> slots_;
};

LaunchJoin::LaunchJoin(std::vector<NumberedSlices> tracks, std::size_t most_work, std::size_t most)
    : tracks_(std::move(tracks)), sides_(tracks_.size()) {
    std::size_t rows = 0;
    first_.reserve(tracks_.size() + 1);
    for (const NumberedSlices& slices : tracks_) {
        first_.push_back(static_cast<std::uint32_t>(rows));
        if (!slices.ordinal.empty()) same_size(slices.ordinal, slices.key);
        if (!slices.state.empty()) same_size(slices.state, slices.key);
        rows += slices.key.size();
    }
    if (rows > kMostSlices) {
        counts_.has_room = false;
        return;
    }
    first_.push_back(static_cast<std::uint32_t>(rows));
    join(most_work, most);
}

void LaunchJoin::join(std::size_t most_work, std::size_t most) {
    std::size_t works = 0, calls = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), greatest = std::numeric_limits<std::int64_t>::min();
    for (const NumberedSlices& slices : tracks_) {
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (is_free_work(slices, row)) {
                const std::int64_t number = number_of(slices.key[row]);
                least = std::min(least, number);
                greatest = std::max(greatest, number);
                ++works;
            } else if (!is_work(slices.key[row])) {
                ++calls;
            }
        }
    }
    if (calls > 0 && works > most) {
        counts_.has_room = false;
        return;
    }
    partner_.assign(first_.back(), kNone);
    Slots slots(tracks_, calls > 0 ? works : 0, least, greatest);
    if (calls > 0) {
        for (const NumberedSlices& slices : tracks_) {
            for (std::size_t row = 0; row < slices.key.size(); ++row) {
                if (is_free_work(slices, row)) ++slots.find(number_of(slices.key[row]))->works;
            }
        }
    }
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (is_work(slices.key[row])) continue;
            Slot* const slot = slots.find(number_of(slices.key[row]));
            if (slot != nullptr && slot->works > 0) {
                slot->call = slot->call == kNone ? first_[place] + static_cast<std::uint32_t>(row) : kSeveral;
            } else if (state_of(slices, row) == 0) {
                ++counts_.calls_without_work;
            }
        }
    }
    for (const Slot& slot : slots.all()) {
        if (slot.call == kSeveral) counts_.ambiguous += slot.works;
        else if (slot.call != kNone && slot.works > most_work) counts_.crowded += slot.works;
    }
    join_work(slots, most_work);
}

void LaunchJoin::join_work(Slots& slots, std::size_t most_work) {
    std::size_t track = 0;  // of the launch before
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (!is_work(slices.key[row])) continue;
            Slot* const slot = is_free_work(slices, row) ? slots.find(number_of(slices.key[row])) : nullptr;
            if (slot == nullptr || slot->call >= kSeveral || slot->works > most_work) {
                if (state_of(slices, row) == 0) ++counts_.work_without_launch;
                continue;
            }
            const std::uint32_t work = first_[place] + static_cast<std::uint32_t>(row);
            partner_[work] = slot->call;
            if (slot->works == 1) {
                partner_[slot->call] = work;
            } else {
                if (slot->many == kNone) {
                    slot->many = static_cast<std::uint32_t>(many_.size());
                    many_.push_back({many_works_.size(), 0});
                    many_works_.resize(many_works_.size() + slot->works);
                    partner_[slot->call] = kMany | slot->many;
                }
                Many& many = many_[slot->many];
                many_works_[many.first + many.size++] = work;
            }
            ++sides_[place].arriving;
            track = track_of(slot->call, track);
            ++sides_[track].leaving;
            ++counts_.pairs;
        }
    }
}

std::size_t LaunchJoin::track_of(std::uint32_t row, std::size_t guess) const {
    if (first_[guess] <= row && row < first_[guess + 1]) return guess;
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
}

Span<const std::uint32_t> LaunchJoin::partners(std::size_t place, std::size_t row) const {
    if (partner_.empty()) return {};
    const std::uint32_t& partner = partner_[first_[place] + row];
    if (partner == kNone) return {};
    if (partner < kMany) return {&partner, 1};
    const Many& many = many_[partner & ~kMany];
    return {&many_works_[many.first], many.size};
}

std::size_t LaunchJoin::read(std::size_t place, std::size_t row, std::size_t most, LaunchRows& out) const {
    const NumberedSlices& slices = tracks_.at(place);
    for (auto* column : {&out.ordinal, &out.partner_track, &out.partner_ordinal, &out.incoming})
        column->reserve(column->size() + std::min(most, slices.key.size() - std::min(row, slices.key.size())));
    std::size_t track = 0;
    for (std::size_t pairs = 0; row < slices.key.size(); ++row) {
        const Span<const std::uint32_t> partner_rows = partners(place, row);
        if (pairs > 0 && pairs + partner_rows.size() > most) break;
        pairs += partner_rows.size();
        for (const std::uint32_t partner : partner_rows) {
            track = track_of(partner, track);
            out.ordinal.push_back(slices.ordinal_at(row));
            out.partner_track.push_back(tracks_[track].track);
            out.partner_ordinal.push_back(tracks_[track].ordinal_at(partner - first_[track]));
            out.incoming.push_back(is_work(slices.key[row]) ? 1 : 0);
        }
    }
    return row;
}

LaunchEnds LaunchJoin::ends(std::size_t place, Span<const std::int64_t> start) const {
    const NumberedSlices& slices = tracks_.at(place);
    same_size(slices.key, start);
    LaunchEnds out;
    const auto size = static_cast<std::size_t>(sides_[place].leaving + sides_[place].arriving);
    out.tick.reserve(size);
    out.incoming.reserve(size);
    out.partner.reserve(size);
    std::size_t track = 0;
    for (std::size_t row = 0; row < slices.key.size(); ++row) {
        for (const std::uint32_t partner : partners(place, row)) {
            track = track_of(partner, track);
            out.tick.push_back(start[row]);
            out.incoming.push_back(is_work(slices.key[row]) ? 1 : 0);
            out.partner.push_back(static_cast<std::int32_t>(tracks_[track].track));
        }
    }
    return out;
}

}  // namespace tilescope
