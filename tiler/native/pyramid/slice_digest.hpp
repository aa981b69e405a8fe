// Digest of all slices of a track at ingest: the slices in its leaves are compared with it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "columns/event_codes.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

struct SliceDigest {
    uint64_t fingerprint;  // see docs/page-format.md
    int64_t end;  // when the last of them ends; 0: there is none
};

inline SliceDigest digest_of(const SliceColumns& slices) {
    const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    // Multiplications are what this takes its time for: two of them are put aside.
    constexpr uint64_t of_ordinal = 0xD6E8'FEB8'6659'FD93ULL;
    std::array<uint64_t, event_flag::of_slices + 1> of_flags{};
    for (size_t flags = 0; flags < of_flags.size(); ++flags) of_flags[flags] = flags * 0x1D8E'4E27'C47D'124FULL;
    uint64_t ordinal = 0x9E37'79B9'7F4A'7C15ULL;
    SliceDigest digest{0, 0};
    for (size_t k = 0; k < slices.size(); ++k) {
        const int64_t start = slices.start[k];
        const int64_t duration = slices.duration[k];
        uint64_t value = ordinal + bits(start) * 0xA076'1D64'78BD'642FULL + bits(duration) * 0xE703'7ED1'A0B4'28DBULL +
                         slices.row[k] * 0x8EBC'6AF0'9C88'C6E3ULL + bits(slices.name[k]) * 0x5899'65CC'7537'4CC3ULL +
                         of_flags[slices.flags[k] & event_flag::of_slices];
        value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9ULL;
        value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EBULL;
        digest.fingerprint += value ^ value >> 31;
        digest.end = std::max(digest.end, static_cast<int64_t>(bits(start) + bits(duration)));
        ordinal += of_ordinal;
    }
    return digest;
}

}  // namespace tilescope
