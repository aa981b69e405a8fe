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

// Flags of an end of a flow: its side, the slice that it lies at, and the states that this slice gets.
constexpr std::uint8_t kOnHost = 4, kOnDevice = 8, kCall = 16, kWork = 32;
constexpr std::uint8_t kStates = FlowStates::kJoined | FlowStates::kPaired;

void add(std::uint8_t& flags, unsigned more) { flags = static_cast<std::uint8_t>(flags | more); }

// The places of tracks in a list, by their number; kNoRow: it has no such track.
std::vector<std::size_t> places_of(Span<const NumberedSlices> tracks, std::size_t n) {
    std::vector<std::size_t> places(n, kNoRow);
    for (std::size_t place = 0; place < tracks.size(); ++place) {
        const auto track = static_cast<std::size_t>(tracks[place].track);
        if (track >= n) throw std::invalid_argument("there is no such track");
        places[track] = place;
    }
    return places;
}

}  // namespace

// Edges lead anywhere: of each end they see a byte. Slices are looked up in the order of ends, which are those of a track
// after the other; by edges it took six times as long.
FlowStates::FlowStates(Span<const NumberedSlices> tracks, const FileFlows& flows) {
    same_size(flows.source, flows.target);
    same_size(flows.track, flows.ordinal);
    if (flows.source.empty()) return;
    const std::vector<std::size_t> places = places_of(tracks, flows.is_on_device.size());
    const std::vector<RowsByOrdinal> rows(tracks.begin(), tracks.end());
    // Calls with each end at a slice that has a number.
    const auto each_end = [&](const auto& call) {
        for (std::size_t end = 0; end < flows.track.size(); ++end) {
            if (flows.track[end] < 0) continue;
            const auto track = static_cast<std::size_t>(flows.track[end]);
            if (track >= places.size()) throw std::invalid_argument("there is no such track");
            const std::size_t place = places[track];
            call(end, track, place, place == kNoRow ? kNoRow : rows[place].find(flows.ordinal[end]));
        }
    };
    std::vector<std::uint8_t> ends(flows.track.size());
    each_end([&](std::size_t end, std::size_t track, std::size_t place, std::size_t row) {
        ends[end] = flows.is_on_device[track] != 0 ? kOnDevice : kOnHost;
        if (row != kNoRow) add(ends[end], tracks[place].is_work(row) ? kWork : kCall);
    });
    for (std::size_t k = 0; k < flows.source.size(); ++k) {
        if (std::max(flows.source[k], flows.target[k]) >= ends.size())
            throw std::invalid_argument("there are no such ends");
        std::uint8_t &source = ends[flows.source[k]], &target = ends[flows.target[k]];
        unsigned state = 0;
        if ((source & kOnHost) != 0 && (target & kOnDevice) != 0) state |= kPaired;
        if ((source & kCall) != 0 && (target & kWork) != 0) state |= kJoined;
        if ((source & kCall) != 0) add(source, state);
        if ((target & kWork) != 0) add(target, state);
    }
    states_.reserve(tracks.size());
    for (const NumberedSlices& slices : tracks) states_.emplace_back(slices.key.size());
    each_end([&](std::size_t end, std::size_t /*track*/, std::size_t place, std::size_t row) {
        if (row != kNoRow) add(states_[place][row], ends[end] & unsigned{kStates});
    });
}

}  // namespace tilescope
