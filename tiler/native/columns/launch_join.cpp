#include "columns/launch_join.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

namespace {

// A table of numbers has up to so many places for each work.
constexpr std::uint64_t kSpread = 2;

// Calls of a number: the row of the only one, or one of these.
constexpr std::uint32_t kNoCall = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kSeveral = kNoCall - 1;
constexpr std::uint32_t kUsed = kNoCall - 2;  // no call has work of it for itself, and there is work

}  // namespace

// The numbers of work that no flow joins, and the calls that have them.
class LaunchJoin::Numbers {
  public:
    // Profilers count calls up, most of which launch nothing: places by distance take a tenth of the time of a search.
    Numbers(Span<const NumberedSlices> tracks, const FlowStates& states, std::size_t works, std::int64_t least,
            std::int64_t greatest)
        : least_(least) {
        const std::uint64_t span = static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least);
        if (works == 0) return;
        if (span < kSpread * works) {
            calls_.assign(static_cast<std::size_t>(span) + 1, kNoCall);
            return;
        }
        numbers_.reserve(works);
        for (std::size_t place = 0; place < tracks.size(); ++place) {
            const NumberedSlices& slices = tracks[place];
            for (std::size_t row = 0; row < slices.key.size(); ++row) {
                if (slices.is_work(row) && (states.at(place, row) & FlowStates::kJoined) == 0)
                    numbers_.push_back(slices.number_at(row));
            }
        }
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
        calls_.assign(numbers_.size(), kNoCall);
    }

    // The call of a number. Null: no work has the number; of numbers that lie close together there may be one all the same.
    std::uint32_t* find(std::int64_t number) {
        std::size_t place = 0;
        if (numbers_.empty()) {
            place = static_cast<std::size_t>(static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(least_));
            if (place >= calls_.size()) return nullptr;
        } else {
            const auto nearest = std::lower_bound(numbers_.begin(), numbers_.end(), number);
            if (nearest == numbers_.end() || *nearest != number) return nullptr;
            place = static_cast<std::size_t>(nearest - numbers_.begin());
        }
        return &calls_[place];
    }

  private:
    std::int64_t least_;
    std::vector<std::int64_t> numbers_;  // that do not lie close together, ascending
    std::vector<std::uint32_t> calls_;
};

LaunchJoin::LaunchJoin(std::vector<NumberedSlices> tracks, const FileFlows& flows, std::size_t most_work,
                       std::size_t most)
    : tracks_(std::move(tracks)), calls_(tracks_.size()), sides_(tracks_.size()) {
    std::size_t rows = 0;
    first_.reserve(tracks_.size() + 1);
    for (const NumberedSlices& slices : tracks_) {
        first_.push_back(static_cast<std::uint32_t>(rows));
        if (!slices.ordinal.empty()) same_size(slices.ordinal, slices.key);
        rows += slices.key.size();
    }
    if (rows > kMostSlices) {
        counts_.has_room = false;
        return;
    }
    first_.push_back(static_cast<std::uint32_t>(rows));
    block_tracks_.reserve((rows >> kBlockBits) + 1);
    for (std::size_t row = 0, track = 0; row < rows; row += std::size_t{1} << kBlockBits) {
        while (row >= first_[track + 1]) ++track;
        block_tracks_.push_back(static_cast<std::uint32_t>(track));
    }
    join(FlowStates(tracks_, flows), most_work, most);
}

void LaunchJoin::join(const FlowStates& states, std::size_t most_work, std::size_t most) {
    std::size_t works = 0, calls = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), greatest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (!slices.is_work(row)) {
                ++calls_[place];
            } else if ((states.at(place, row) & FlowStates::kJoined) == 0) {
                const std::int64_t number = slices.number_at(row);
                least = std::min(least, number);
                greatest = std::max(greatest, number);
                ++works;
            }
        }
        calls += calls_[place];
    }
    if (calls > 0 && works > most) {
        counts_.has_room = false;
        return;
    }
    partner_.assign(first_.back(), kNone);
    Numbers numbers(tracks_, states, calls > 0 ? works : 0, least, greatest);
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        if (calls_[place] == 0) continue;
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (slices.is_work(row)) continue;
            std::uint32_t* const call = numbers.find(slices.number_at(row));
            if (call != nullptr) *call = *call == kNoCall ? first_[place] + static_cast<std::uint32_t>(row) : kSeveral;
        }
    }
    join_work(numbers, states);
    if (!many_.empty()) share_launches(numbers, states, most_work);
    count_calls(numbers, states);
}

// Joins each work to the call of its number. Calls that have several are numbered, and their works counted.
void LaunchJoin::join_work(Numbers& numbers, const FlowStates& states) {
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        if (calls_[place] == slices.key.size()) continue;
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (!slices.is_work(row)) continue;
            const std::uint8_t state = states.at(place, row);
            const bool is_free = (state & FlowStates::kJoined) == 0;
            std::uint32_t* const call = is_free ? numbers.find(slices.number_at(row)) : nullptr;
            if (call == nullptr || *call >= kUsed) {
                if (call != nullptr && *call != kNoCall) {
                    *call = kUsed;
                    ++counts_.ambiguous;
                }
                if (state == 0) ++counts_.work_without_launch;
                continue;
            }
            const std::uint32_t work = first_[place] + static_cast<std::uint32_t>(row);
            std::uint32_t& partner = partner_[*call];
            if (partner == kNone) {
                partner = work;
            } else if (partner < kMany) {
                partner = kMany | static_cast<std::uint32_t>(many_.size());
                many_.push_back({0, 2});
            } else {
                ++many_[partner & ~kMany].size;
            }
            partner_[work] = *call;
            ++sides_[place].arriving;
            ++sides_[track_of(*call)].leaving;
            ++counts_.pairs;
        }
    }
}

// Lists the works of calls that have several, and takes those apart that have too many.
void LaunchJoin::share_launches(Numbers& numbers, const FlowStates& states, std::size_t most_work) {
    std::size_t first = 0;
    std::vector<std::uint32_t> listed(many_.size());
    for (Many& many : many_) {
        many.first = first;
        if (many.size <= most_work) first += many.size;
    }
    many_works_.resize(first);
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            const std::uint32_t work = first_[place] + static_cast<std::uint32_t>(row);
            if (!slices.is_work(row) || partner_[work] == kNone) continue;
            const std::uint32_t call = partner_[work];
            if (partner_[call] < kMany) continue;
            const std::uint32_t number = partner_[call] & ~kMany;
            const Many& many = many_[number];
            if (many.size <= most_work) {
                many_works_[many.first + listed[number]++] = work;
                continue;
            }
            partner_[work] = kNone;
            *numbers.find(slices.number_at(row)) = kUsed;
            if (++listed[number] == many.size) partner_[call] = kNone;
            if (states.at(place, row) == 0) ++counts_.work_without_launch;
            --sides_[place].arriving;
            --sides_[track_of(call)].leaving;
            --counts_.pairs;
            ++counts_.crowded;
        }
    }
}

void LaunchJoin::count_calls(Numbers& numbers, const FlowStates& states) {
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        if (many_.empty() && static_cast<std::size_t>(sides_[place].leaving) == calls_[place]) continue;
        for (std::size_t row = 0; row < slices.key.size(); ++row) {
            if (slices.is_work(row) || partner_[first_[place] + row] != kNone || states.at(place, row) != 0) continue;
            const std::uint32_t* const call = numbers.find(slices.number_at(row));
            if (call == nullptr || *call != kUsed) ++counts_.calls_without_work;
        }
    }
}

Span<const std::uint32_t> LaunchJoin::partners(std::size_t place, std::size_t row) const {
    if (partner_.empty()) return {};
    const std::uint32_t& partner = partner_[first_[place] + row];
    if (partner == kNone) return {};
    if (partner < kMany) return {&partner, 1};
    const Many& many = many_[partner & ~kMany];
    return {&many_works_[many.first], many.size};
}

std::size_t LaunchJoin::read(std::size_t place, std::size_t row, std::size_t most, StoredLaunches& out) const {
    const NumberedSlices& slices = tracks_.at(place);
    const std::size_t rows = partner_.empty() ? 0 : slices.key.size();
    if (row >= rows) return slices.key.size();
    const std::size_t room = std::min(most, rows - row);
    out.ordinal.ensure(room);
    out.code.ensure(room);
    std::vector<std::uint32_t> places;
    places.reserve(room);
    PartnerSteps steps;
    std::int64_t before = -1;  // the ordinal
    for (; row < rows && places.size() < room; ++row) {
        const std::uint32_t call = partner_[first_[place] + row];
        if (call == kNone || !slices.is_work(row)) continue;
        const std::int64_t ordinal = slices.ordinal_at(row);
        if (before >= 0) out.most_rise = std::max(out.most_rise, static_cast<std::uint64_t>(ordinal - before));
        before = ordinal;
        const std::size_t track = track_of(call);
        std::uint32_t& track_place = places.emplace_back();
        out.ordinal.push_unchecked(ordinal);
        out.code.push_unchecked(
            steps.add(tracks_[track].track, tracks_[track].ordinal_at(call - first_[track]), track_place));
    }
    out.launching = steps.tracks();
    make_partner_codes(out.code.data(), places, place_bits(out.launching.track.size()));
    return row;
}

LaunchEnds LaunchJoin::ends(std::size_t place, Span<const std::int64_t> start) const {
    const NumberedSlices& slices = tracks_.at(place);
    same_size(slices.key, start);
    LaunchEnds out;
    const auto size = static_cast<std::size_t>(sides_[place].leaving + sides_[place].arriving);
    out.is_of_all = size == slices.key.size() && many_.empty();
    if (!out.is_of_all) out.tick.ensure(size);
    out.incoming.ensure(size);
    out.partner.ensure(size);
    const bool is_mixed = calls_[place] != 0 && calls_[place] != slices.key.size();
    for (std::size_t row = 0; row < slices.key.size(); ++row) {
        const bool is_work = is_mixed ? slices.is_work(row) : calls_[place] == 0;
        for (const std::uint32_t partner : partners(place, row)) {
            if (!out.is_of_all) out.tick.push_unchecked(start[row]);
            out.incoming.push_unchecked(is_work ? 1 : 0);
            out.partner.push_unchecked(static_cast<std::int32_t>(tracks_[track_of(partner)].track));
        }
    }
    return out;
}

}  // namespace tilescope
