// Partners on several tracks as numbers: the step from the partner before, and behind it, in the lowest bits, the place of its
// track in a list. Nearly all steps are small, and one column of such numbers takes less room than a column of tracks and one
// of steps: each number has one code of its own.
//
// Ordinals of a track and a shift are places on one clock for all tracks. A partner is mostly a little behind the one before,
// whichever track that is on: threads that take turns need no step of their own, which took a quarter more. A track that falls
// behind is shifted to where the clock is.
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

class PartnerClock {
  public:
    // The step to a partner on a track with this shift; both move on.
    std::int64_t step(std::int64_t partner, std::int64_t& shift) {
        const std::int64_t step = sum(partner, difference(shift, now_));
        move(partner, shift);
        return step;
    }
    // The partner at the end of a step.
    std::int64_t partner(std::int64_t step, std::int64_t& shift) {
        const std::int64_t partner = sum(step, difference(now_, shift));
        move(partner, shift);
        return partner;
    }
    // The shift of a track whose first partner is to be behind this one.
    std::int64_t shift(std::int64_t before) const { return difference(now_, before); }

  private:
    // Numbers of a damaged store may be of any size.
    static std::int64_t sum(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
    static std::int64_t difference(std::int64_t a, std::int64_t b) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    }
    void move(std::int64_t partner, std::int64_t& shift) {
        const std::int64_t next = sum(partner, shift);
        if (next < now_) shift = difference(now_, partner);
        else now_ = next;
    }

    std::int64_t now_ = 0;
};

class PartnerSteps {
  public:
    // Makes steps of partners on one track that follow one another; 1 to the first of the track. Returns its place.
    std::uint32_t add(std::int64_t track, Span<std::int64_t> partners);
    PartnerTracks tracks() const;

  private:
    struct Near {
        std::int64_t track = 0;
        std::uint32_t place = 0;
        bool is_set = false;
    };
    struct Seen {
        std::int64_t track, before, shift, least, greatest;
    };

    std::uint32_t place_of(std::int64_t track, std::int64_t partner);

    PartnerClock clock_;
    std::vector<Seen> seen_;  // by place
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
