#include "trace_event/kept_members.hpp"

#include <utility>

#include "trace_event/json_text.hpp"

namespace tilescope {

void KeptMembers::begin(std::string_view raw_name) {
    any_byte_ = false;
    keeps_ = raw_name.size() <= max_name_bytes && count_ < limit_;
    if (!keeps_) {
        ++(raw_name.size() > max_name_bytes ? unnamed_ : more_);
        return;
    }
    ++count_;
    std::string name;
    append_decoded(raw_name, name);
    pieces_.push_back({std::move(name), object_, true, false, {}});
}

void KeptMembers::add(std::string_view text) {
    if (!keeps_ || text.empty()) return;
    any_byte_ = true;
    if (pieces_.empty()) pieces_.push_back({{}, object_, false, false, {}});
    pieces_.back().bytes.append(text);
}

void KeptMembers::end() {
    if (!keeps_) return;
    keeps_ = false;
    if (!any_byte_) {  // there was no value, so its first piece is here
        pieces_.pop_back();
        --count_;
        return;
    }
    if (pieces_.empty()) pieces_.push_back({{}, object_, false, false, {}});
    pieces_.back().last = true;
}

std::vector<KeptMembers::Piece> KeptMembers::take_pieces() { return std::exchange(pieces_, {}); }

std::vector<std::uint64_t> KeptMembers::take_dropped() { return std::exchange(dropped_, {}); }

}  // namespace tilescope
