// The samples of one counter series of a line, into columns: the third pass over an XSpace, as `events` is for slices.
#pragma once

#include "xspace/catalogue.hpp"
#include "xspace/counters.hpp"
#include "xspace/event.hpp"
#include "xspace/events.hpp"
#include "xspace/outline.hpp"
#include "xspace/wire.hpp"

#include <cstddef>
#include <cstdint>

namespace tilescope::xspace {

class SampleDecoder {
  public:
    // `start_ns`: where the line's offsets count from; `track`: what its rows are said to be of. All that is referred to must
    // outlive the decoder.
    SampleDecoder(const wire::Source& source, const Catalogue& catalogue, const CounterRules& rules, const Line& line,
                  const CounterLine& counters, std::size_t series, std::int64_t start_ns, std::int32_t track);

    // As `LineDecoder::next`. The arguments of an event are those of its first sample; the others have none.
    bool next(Chunk& chunk, std::size_t max_rows, std::size_t max_args_bytes);

    std::size_t position() const { return position_; }

  private:
    void decode_sample(std::size_t offset, Chunk& chunk);

    const wire::Source& source_;
    const Catalogue& catalogue_;
    CounterRules rules_;
    const Line& line_;
    const CounterLine& counters_;
    std::size_t series_;
    std::int64_t start_ns_;
    std::int32_t track_;
    EventPlaces::Walk places_;
    std::uint64_t samples_left_;
    std::size_t position_;
    Event event_;
};

}  // namespace tilescope::xspace
