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

// Keys of a track, and how many of them are of works. Nearly all tracks have calls alone, or works.
struct KeyRange {
    explicit KeyRange(const Keys& keys) {
        keys.visit([&](const auto& key_at) {
            for (std::size_t row = 0; row < keys.size(); ++row) {
                works += NumberedSlices::is_of_work(key_at(row)) ? 1 : 0;
                least = std::min(least, key_at(row));
                greatest = std::max(greatest, key_at(row));
            }
        });
    }
    std::size_t works = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), greatest = std::numeric_limits<std::int64_t>::min();
};

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
    : tracks_(std::move(tracks)),
      calls_(tracks_.size()),
      sides_(tracks_.size()),
      partner_places_(tracks_.size(), kNone) {
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
        const KeyRange range(slices.key);
        calls_[place] = slices.key.size() - range.works;
        calls += calls_[place];
        if (calls_[place] == 0 && states.is_empty() && range.works != 0) {
            least = std::min(least, NumberedSlices::number_of(range.greatest));
            greatest = std::max(greatest, NumberedSlices::number_of(range.least));
            works += range.works;
            continue;
        }
        for (std::size_t row = 0; row < slices.key.size() && range.works != 0; ++row) {
            if (!slices.is_work(row) || (states.at(place, row) & FlowStates::kJoined) != 0) continue;
            least = std::min(least, slices.number_at(row));
            greatest = std::max(greatest, slices.number_at(row));
            ++works;
        }
    }
    if (calls > 0 && works > most) {
        counts_.has_room = false;
        return;
    }
    partners_.reserve(tracks_.size());
    for (const NumberedSlices& slices : tracks_) partners_.emplace_back(slices.key.size(), kNone);
    Numbers numbers(tracks_, states, calls > 0 ? works : 0, least, greatest);
    for (std::size_t place = 0; place < tracks_.size(); ++place) {
        const NumberedSlices& slices = tracks_[place];
        if (calls_[place] == 0) continue;
        slices.key.visit([&](const auto& key_at) {
            for (std::size_t row = 0; row < slices.key.size(); ++row) {
                const std::int64_t key = key_at(row);
                if (NumberedSlices::is_of_work(key)) continue;
                std::uint32_t* const call = numbers.find(NumberedSlices::number_of(key));
                if (call != nullptr)
                    *call = *call == kNoCall ? first_[place] + static_cast<std::uint32_t>(row) : kSeveral;
            }
        });
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
        const Span<std::uint32_t> own = partners_[place];
        std::size_t call_place = 0;
        Span<std::uint32_t> calls = partners_[call_place];  // of that track
        std::int64_t pairs = 0;  // with them, one after the other
        slices.key.visit([&](const auto& key_at) {
            for (std::size_t row = 0; row < slices.key.size(); ++row) {
                const std::int64_t key = key_at(row);
                if (!NumberedSlices::is_of_work(key)) continue;
                const std::uint8_t state = states.at(place, row);
                const bool is_free = (state & FlowStates::kJoined) == 0;
                std::uint32_t* const call = is_free ? numbers.find(NumberedSlices::number_of(key)) : nullptr;
                if (call == nullptr || *call >= kUsed) {
                    if (call != nullptr && *call != kNoCall) {
                        *call = kUsed;
                        ++counts_.ambiguous;
                    }
                    if (state == 0) ++counts_.work_without_launch;
                    continue;
                }
                const std::uint32_t work = first_[place] + static_cast<std::uint32_t>(row);
                if (!is_on(call_place, *call)) {
                    add_sides(place, call_place, pairs);
                    pairs = 0;
                    call_place = track_of(*call);
                    calls = partners_[call_place];
                }
                ++pairs;
                std::uint32_t& partner = calls[*call - first_[call_place]];
                if (partner == kNone) {
                    partner = work;
                } else if (partner < kMany) {
                    partner = kMany | static_cast<std::uint32_t>(many_.size());
                    many_.push_back({0, 2});
                } else {
                    ++many_[partner & ~kMany].size;
                }
                own[row] = *call;
            }
        });
        add_sides(place, call_place, pairs);
    }
}

void LaunchJoin::add_sides(std::size_t work_place, std::size_t call_place, std::int64_t pairs) {
    if (pairs == 0) return;
    sides_[work_place].arriving += pairs;
    sides_[call_place].leaving += pairs;
    counts_.pairs += pairs;
    const auto add = [](std::uint32_t& all, std::size_t place) {
        const auto partner_place = static_cast<std::uint32_t>(place);
        all = all == kNone || all == partner_place ? partner_place : kMany;
    };
    add(partner_places_[work_place], call_place);
    add(partner_places_[call_place], work_place);
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
            if (!slices.is_work(row) || partners_[place][row] == kNone) continue;
            const std::uint32_t call = partners_[place][row];
            const std::size_t call_place = track_of(call);
            std::uint32_t& works = partners_[call_place][call - first_[call_place]];
            if (works < kMany) continue;
            const std::uint32_t number = works & ~kMany;
            const Many& many = many_[number];
            if (many.size <= most_work) {
                many_works_[many.first + listed[number]++] = first_[place] + static_cast<std::uint32_t>(row);
                continue;
            }
            partners_[place][row] = kNone;
            *numbers.find(slices.number_at(row)) = kUsed;
            if (++listed[number] == many.size) works = kNone;
            if (states.at(place, row) == 0) ++counts_.work_without_launch;
            --sides_[place].arriving;
            --sides_[call_place].leaving;
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
            if (slices.is_work(row) || partners_[place][row] != kNone || states.at(place, row) != 0) continue;
            const std::uint32_t* const call = numbers.find(slices.number_at(row));
            if (call == nullptr || *call != kUsed) ++counts_.calls_without_work;
        }
    }
}

Span<const std::uint32_t> LaunchJoin::partners(std::size_t place, std::size_t row) const {
    const std::uint32_t& partner = partners_[place][row];
    if (partner == kNone) return {};
    if (partner < kMany) return {&partner, 1};
    const Many& many = many_[partner & ~kMany];
    return {&many_works_[many.first], many.size};
}

std::size_t LaunchJoin::read(std::size_t place, std::size_t row, std::size_t most, StoredLaunches& out) const {
    const NumberedSlices& slices = tracks_.at(place);
    const std::size_t rows = partners_.empty() ? 0 : slices.key.size();
    if (row >= rows) return slices.key.size();
    const std::size_t room = std::min(most, rows - row);
    const Span<const std::uint32_t> partner = partners_[place];
    const bool is_mixed = calls_[place] != 0;
    out.ordinal.ensure(room);
    out.code.ensure(room);
    std::int64_t* const ordinals = out.ordinal.data();
    std::int64_t* const codes = out.code.data();  // ordinals of launches at first
    std::vector<std::uint32_t> places(room);
    PartnerSteps steps;
    std::size_t size = 0, run = 0, track = 0;  // `run`: the first of those on `track`
    const auto end_run = [&] {
        if (run == size) return;
        const std::uint32_t run_place = steps.add(tracks_[track].track, {codes + run, size - run});
        std::fill(places.begin() + static_cast<std::ptrdiff_t>(run), places.begin() + static_cast<std::ptrdiff_t>(size),
                  run_place);
        run = size;
    };
    for (; row < rows && size < room; ++row) {
        const std::uint32_t call = partner[row];
        if (call == kNone || (is_mixed && !slices.is_work(row))) continue;
        if (!is_on(track, call)) {
            end_run();
            track = track_of(call);
        }
        const std::int64_t ordinal = slices.ordinal_at(row);
        if (size > 0) out.most_rise = std::max(out.most_rise, static_cast<std::uint64_t>(ordinal - ordinals[size - 1]));
        ordinals[size] = ordinal;
        codes[size++] = tracks_[track].ordinal_at(call - first_[track]);
    }
    end_run();
    out.ordinal.extend(size);
    out.code.extend(size);
    places.resize(size);
    out.launching = steps.tracks();
    make_partner_codes(codes, places, place_bits(out.launching.track.size()));
    return row;
}

LaunchEnds LaunchJoin::ends(std::size_t place, Span<const std::int64_t> start) const {
    const NumberedSlices& slices = tracks_.at(place);
    same_size(slices.key, start);
    LaunchEnds out;
    const auto size = static_cast<std::size_t>(sides_[place].leaving + sides_[place].arriving);
    if (size == 0) return out;
    out.is_of_all = size == slices.key.size() && many_.empty();
    if (!out.is_of_all) {
        out.tick.ensure(size);
        each_end(place, [&](std::uint32_t, std::size_t row) { out.tick.push_unchecked(start[row]); });
    }
    if (calls_[place] == 0 || calls_[place] == slices.key.size()) {
        out.incoming.push(calls_[place] == 0 ? 1 : 0);
    } else {
        out.incoming.ensure(size);
        each_end(place,
                 [&](std::uint32_t, std::size_t row) { out.incoming.push_unchecked(slices.is_work(row) ? 1 : 0); });
    }
    const auto number_of = [this](std::size_t track) { return static_cast<std::int32_t>(tracks_[track].track); };
    if (partner_places_[place] < kMany) {
        out.partner.push(number_of(partner_places_[place]));
    } else {
        out.partner.ensure(size);
        std::size_t track = 0;
        each_end(place, [&](std::uint32_t partner, std::size_t) {
            if (!is_on(track, partner)) track = track_of(partner);
            out.partner.push_unchecked(number_of(track));
        });
    }
    return out;
}

}  // namespace tilescope
