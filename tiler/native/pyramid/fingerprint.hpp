// A number of all slices of a track, counted at ingest: what stands in its leaves is compared with it. See
// docs/page-format.md.
#pragma once

#include <cstdint>

#include "columns/event_codes.hpp"
#include "pyramid/slice_track.hpp"

namespace tilescope {

inline uint64_t fingerprint(const SliceColumns& slices) {
    const auto bits = [](int64_t value) { return static_cast<uint64_t>(value); };
    uint64_t sum = 0;
    for (size_t k = 0; k < slices.size(); ++k) {
        uint64_t value = k * 0xD6E8'FEB8'6659'FD93ULL + bits(slices.start[k]) * 0xA076'1D64'78BD'642FULL +
                         bits(slices.duration[k]) * 0xE703'7ED1'A0B4'28DBULL +
                         slices.row[k] * 0x8EBC'6AF0'9C88'C6E3ULL + bits(slices.name[k]) * 0x5899'65CC'7537'4CC3ULL +
                         (slices.flags[k] & event_flag::of_slices) * 0x1D8E'4E27'C47D'124FULL +
                         0x9E37'79B9'7F4A'7C15ULL;
        value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9ULL;
        value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EBULL;
        sum += value ^ value >> 31;
    }
    return sum;
}

}  // namespace tilescope
