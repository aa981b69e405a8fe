#include "columns/flow_states.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

// The rows of slices by their ordinals: bits, and how many there are before each word of them. A search took ten times as long.
class RowsByOrdinal {
  public:
    explicit RowsByOrdinal(const NumberedSlices& slices) : slices_(&slices) {
        if (slices.ordinal.empty()) return;
        if (slices.ordinal.front() < 0) throw std::invalid_argument("there are no such ordinals");
        words_.resize(static_cast<std::size_t>(slices.ordinal.back()) / kWordBits + 1);
        for (std::size_t row = 0; row < slices.ordinal.size(); ++row) {
            const auto ordinal = static_cast<std::size_t>(slices.ordinal[row]);
            if (ordinal / kWordBits >= words_.size()) throw std::invalid_argument("ordinals do not ascend");
            Word& word = words_[ordinal / kWordBits];
            if (word.bits == 0) word.rows = static_cast<std::uint32_t>(row);
            word.bits |= std::uint64_t{1} << ordinal % kWordBits;
        }
    }

    // kNoRow: the slice has no number.
    std::size_t find(std::int64_t ordinal) const {
        if (ordinal < 0) return kNoRow;
        const auto place = static_cast<std::size_t>(ordinal);
        if (slices_->ordinal.empty()) return place < slices_->key.size() ? place : kNoRow;
        if (place / kWordBits >= words_.size()) return kNoRow;
        const Word& word = words_[place / kWordBits];
        const std::uint64_t bit = std::uint64_t{1} << place % kWordBits;
        if ((word.bits & bit) == 0) return kNoRow;
        return word.rows + static_cast<std::size_t>(__builtin_popcountll(word.bits & (bit - 1)));
    }

  private:
    static constexpr std::size_t kWordBits = 64;
    struct Word {
        std::uint64_t bits = 0;
        std::uint32_t rows = 0;
    };

    const NumberedSlices* slices_;
    std::vector<Word> words_;
};

// A slice that a flow begins or ends at.
struct NumberedEnd {
    std::size_t place = 0;
    std::size_t row = kNoRow;
    bool is_work = false;
};

}  // namespace

FlowStates::FlowStates(Span<const NumberedSlices> tracks, const FileFlows& flows) {
    same_size(flows.source, flows.target);
    same_size(flows.track, flows.ordinal);
    if (flows.source.empty()) return;
    constexpr std::size_t none = kNoRow;
    std::vector<std::size_t> places(flows.is_on_device.size(), none);
    std::vector<RowsByOrdinal> rows;
    rows.reserve(tracks.size());
    states_.reserve(tracks.size());
    for (const NumberedSlices& slices : tracks) {
        const auto track = static_cast<std::size_t>(slices.track);
        if (track >= places.size()) throw std::invalid_argument("there is no such track");
        places[track] = rows.size();
        rows.emplace_back(slices);
        states_.emplace_back(slices.key.size());
    }
    const auto end_at = [&](std::uint32_t end) {
        NumberedEnd found;
        const std::int32_t track = flows.track[end];
        if (track < 0) return found;
        if (static_cast<std::size_t>(track) >= places.size()) throw std::invalid_argument("there is no such track");
        const std::size_t place = places[static_cast<std::size_t>(track)];
        if (place == none) return found;
        found.place = place;
        found.row = rows[place].find(flows.ordinal[end]);
        found.is_work = found.row != kNoRow && tracks[place].is_work(found.row);
        return found;
    };
    const auto add = [&](const NumberedEnd& end, std::uint8_t state) {
        std::uint8_t& all = states_[end.place][end.row];
        all = static_cast<std::uint8_t>(all | state);
    };
    for (std::size_t k = 0; k < flows.source.size(); ++k) {
        const std::uint32_t source = flows.source[k], target = flows.target[k];
        if (std::max(source, target) >= flows.track.size()) throw std::invalid_argument("there are no such ends");
        const NumberedEnd call = end_at(source), work = end_at(target);
        const bool is_call = call.row != kNoRow && !call.is_work;
        const std::int32_t host = flows.track[source], device = flows.track[target];
        const bool is_pair = host >= 0 && device >= 0 && flows.is_on_device[static_cast<std::size_t>(device)] != 0 &&
                             flows.is_on_device[static_cast<std::size_t>(host)] == 0;
        if (is_call && is_pair) add(call, kPaired);
        if (work.is_work && is_pair) add(work, kPaired);
        if (is_call && work.is_work) {
            add(call, kJoined);
            add(work, kJoined);
        }
    }
}

}  // namespace tilescope
