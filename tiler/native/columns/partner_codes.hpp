// Partners on several tracks as numbers: the step from the partner before on the same track, and behind it, in the lowest
// bits, the place of the track in a list. Nearly all steps are small, and one column of such numbers takes less room than a
// column of tracks and one of steps: each number has one code of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/span.hpp"

namespace tilescope {

// Tracks of partners, in the order in which they come.
struct PartnerTracks {
    std::vector<std::int64_t> track;
    std::vector<std::int64_t> before;  // the first partner less 1
    std::vector<std::int64_t> least, greatest;  // of its partners
};

class PartnerSteps {
  public:
    // The step from the partner before on the same track; 1 for the first. `place`: of the track.
    std::int64_t add(std::int64_t track, std::int64_t partner, std::uint32_t& place) {
        const Near& near = near_[static_cast<std::uint64_t>(track) % near_.size()];
        place = near.is_set && near.track == track ? near.place : place_of(track, partner);
        Last& last = last_[place];
        const auto step = static_cast<std::int64_t>(static_cast<std::uint64_t>(partner) -
                                                    static_cast<std::uint64_t>(last.partner));
        last.partner = partner;
        last.least = std::min(last.least, partner);
        last.greatest = std::max(last.greatest, partner);
        return step;
    }
    PartnerTracks tracks() const;

  private:
    struct Near {
        std::int64_t track = 0;
        std::uint32_t place = 0;
        bool is_set = false;
    };
    struct Last {
        std::int64_t track, before, partner, least, greatest;
    };

    std::uint32_t place_of(std::int64_t track, std::int64_t partner);

    std::vector<Last> last_;  // by place
    std::array<Near, 64> near_{};  // places of tracks that came last
    std::unordered_map<std::int64_t, std::uint32_t> places_;
};

// The bits of places of so many tracks.
int place_bits(std::size_t tracks);

// Makes codes of steps, of which each has the place of its track. Throws std::invalid_argument for steps that have no room
// beside it.
void make_partner_codes(std::int64_t* step, Span<const std::uint32_t> place, int bits);

struct Partners {
    std::vector<std::int64_t> track, ordinal;
};

// The partners again. Throws std::invalid_argument for columns that differ in length, and places of no track.
Partners decoded_partners(Span<const std::int64_t> code, Span<const std::int64_t> tracks,
                          Span<const std::int64_t> before);

}  // namespace tilescope
