// Puts a part of a file, which knew nothing of what stands before it, in its place.
#include <utility>

#include "trace_event/sink.hpp"

namespace tilescope {

namespace {

// A chunk that would be smaller than this is joined with the one before: a copy is cheaper than one chunk more.
constexpr std::size_t small_chunk_rows = std::size_t{1} << 14;

}  // namespace

void EventSink::absorb(EventSink& part) {
    renumber(part);
    if (part.written_total_ > 0 || part.written_['M'] > 0 || !part.ignored_.empty())
        ends_in_nothing_ = part.ends_in_nothing_;
    for (const auto& [reason, count] : part.ignored_) ignored_[reason] += count;
    for (std::size_t letter = 0; letter < written_.size(); ++letter) {
        written_[letter] += part.written_[letter];
        read_[letter] += part.read_[letter];
    }
    written_total_ += part.written_total_;
    v8_profiles_ += part.v8_profiles_;
    if (rows_.size() > 0 && rows_.size() + part.rows_.size() <= small_chunk_rows) {
        rows_.append(part.rows_);
        return;
    }
    if (rows_.size() > 0) end_chunk();
    rows_ = std::move(part.rows_);
}

// Gives the rows of the part the numbers that they have in the file. Whatever is new is numbered in the order in which the
// part met it, which is the order of the file.
void EventSink::renumber(EventSink& part) {
    const ScopeNumbers scopes = tracks_.absorb(part.tracks_);
    EventKeys::PartNumbers keys(keys_, part.keys_, scopes);
    const std::vector<std::int32_t> names = names_.intern_all(part.names_);
    std::vector<std::int32_t> tracks(part.tracks_.tracks().size(), -1);  // -1: not met yet
    EventColumns& rows = part.rows_;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows.name.data()[row] >= 0) rows.name.data()[row] = names[static_cast<std::size_t>(rows.name.data()[row])];
        const auto track = static_cast<std::size_t>(rows.track.data()[row]);
        const TrackEntry& entry = part.tracks_.tracks()[track];
        rows.key.data()[row] = keys.renumbered(rows.key.data()[row]);
        if (tracks[track] < 0) tracks[track] = tracks_.of_part(entry, scopes);
        rows.track.data()[row] = tracks[track];
    }
}

}  // namespace tilescope
