#include "columns/partner_codes.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/bit_length.hpp"

namespace tilescope {

std::uint32_t PartnerSteps::place_of(std::int64_t track, std::int64_t partner) {
    const auto [entry, is_new] = places_.try_emplace(track, static_cast<std::uint32_t>(seen_.size()));
    if (is_new) {
        const auto before = static_cast<std::int64_t>(static_cast<std::uint64_t>(partner) - 1);
        seen_.push_back({track, before, clock_.shift(before), partner, partner});
    }
    near_[static_cast<std::uint64_t>(track) % near_.size()] = {track, entry->second, true};
    return entry->second;
}

std::uint32_t PartnerSteps::add(std::int64_t track, Span<std::int64_t> partners) {
    if (partners.empty()) throw std::invalid_argument("a track without partners");
    const Near& near = near_[static_cast<std::uint64_t>(track) % near_.size()];
    const std::uint32_t place = near.is_set && near.track == track ? near.place : place_of(track, partners.front());
    // In registers: through memory each step waits for the one before.
    Seen seen = seen_[place];
    PartnerClock clock = clock_;
    for (std::int64_t& partner : partners) {
        seen.least = std::min(seen.least, partner);
        seen.greatest = std::max(seen.greatest, partner);
        partner = clock.step(partner, seen.shift);
    }
    seen_[place] = seen;
    clock_ = clock;
    return place;
}

PartnerTracks PartnerSteps::tracks() const {
    PartnerTracks tracks;
    for (const Seen& seen : seen_) {
        tracks.track.push_back(seen.track);
        tracks.before.push_back(seen.before);
        tracks.least.push_back(seen.least);
        tracks.greatest.push_back(seen.greatest);
    }
    return tracks;
}

int place_bits(std::size_t tracks) { return tracks < 2 ? 0 : bit_length(tracks - 1); }

void make_partner_codes(std::int64_t* step, Span<const std::uint32_t> place, int bits) {
    if (bits == 0) return;
    std::int64_t lost = 0;
    for (std::size_t row = 0; row < place.size(); ++row) {
        const auto code = static_cast<std::int64_t>((static_cast<std::uint64_t>(step[row]) << bits) | place[row]);
        lost |= (code >> bits) ^ step[row];
        step[row] = code;
    }
    if (lost != 0) throw std::invalid_argument("a partner is too far from the one before");
}

Partners decoded_partners(Span<const std::int64_t> code, Span<const std::int64_t> tracks,
                          Span<const std::int64_t> before) {
    const std::size_t places = same_size(tracks, before);
    const int bits = place_bits(places);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    PartnerClock clock;
    std::vector<std::int64_t> shift(places);
    std::vector<std::uint8_t> has_shift(places);
    Partners partners{std::vector<std::int64_t>(code.size()), std::vector<std::int64_t>(code.size())};
    for (std::size_t row = 0; row < code.size(); ++row) {
        const std::size_t place = static_cast<std::uint64_t>(code[row]) & mask;
        if (place >= places) throw std::invalid_argument("a partner is on no track of the list");
        if (has_shift[place] == 0) {
            shift[place] = clock.shift(before[place]);
            has_shift[place] = 1;
        }
        partners.track[row] = tracks[place];
        partners.ordinal[row] = clock.partner(code[row] >> bits, shift[place]);
    }
    return partners;
}

}  // namespace tilescope
