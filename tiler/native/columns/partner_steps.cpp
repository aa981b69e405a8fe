#include "columns/partner_steps.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace tilescope {

namespace {

// Places of the last partners by their track: a table where tracks lie close together, as they nearly always do.
class TrackPlaces {
  public:
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    explicit TrackPlaces(Span<const std::int64_t> track) {
        if (track.empty()) return;
        const auto [least, most] = std::minmax_element(track.begin(), track.end());
        least_ = static_cast<std::uint64_t>(*least);
        const std::uint64_t span = static_cast<std::uint64_t>(*most) - least_;
        if (span < kMostPlaces) table_.assign(static_cast<std::size_t>(span) + 1, kNone);
    }

    // kNone to begin with.
    std::size_t& of_track(std::int64_t track) {
        if (!table_.empty()) return table_[static_cast<std::size_t>(static_cast<std::uint64_t>(track) - least_)];
        return far_.try_emplace(track, kNone).first->second;
    }

  private:
    static constexpr std::uint64_t kMostPlaces = 1 << 14;

    std::uint64_t least_ = 0;
    std::vector<std::size_t> table_;
    std::unordered_map<std::int64_t, std::size_t> far_;
};

// Sums and differences of numbers of any size, as those of a damaged store may be.
std::int64_t difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

PartnerSteps partner_steps(Span<const std::int64_t> track, Span<const std::int64_t> ordinal) {
    same_size(track, ordinal);
    PartnerSteps steps;
    steps.step.resize(track.size());
    std::vector<std::int64_t> last;  // partner by place of the track
    TrackPlaces places(track);
    for (std::size_t row = 0; row < track.size(); ++row) {
        std::size_t& place = places.of_track(track[row]);
        if (place == TrackPlaces::kNone) {
            place = last.size();
            last.push_back(difference(ordinal[row], 1));
            steps.before.push_back(last.back());
        }
        steps.step[row] = difference(ordinal[row], last[place]);
        last[place] = ordinal[row];
    }
    return steps;
}

std::vector<std::int64_t> partner_ordinals(Span<const std::int64_t> track, Span<const std::int64_t> step,
                                           Span<const std::int64_t> before) {
    same_size(track, step);
    std::vector<std::int64_t> ordinal(track.size());
    std::vector<std::int64_t> last(before.begin(), before.end());
    std::size_t tracks = 0;
    TrackPlaces places(track);
    for (std::size_t row = 0; row < track.size(); ++row) {
        std::size_t& place = places.of_track(track[row]);
        if (place == TrackPlaces::kNone) place = tracks++;
        if (place >= last.size()) throw std::invalid_argument("there are more tracks than first partners");
        ordinal[row] = last[place] = sum(last[place], step[row]);
    }
    if (tracks != last.size()) throw std::invalid_argument("there are fewer tracks than first partners");
    return ordinal;
}

}  // namespace tilescope
