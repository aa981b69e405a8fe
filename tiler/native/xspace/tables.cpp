#include "xspace/tables.hpp"

#include <algorithm>

namespace tilescope::xspace {

void SparseIds::grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old)
        if (entry.value != absent) entries_[slot(entry.id)] = entry;
}

std::int32_t* IdTable::paged(std::uint64_t key) {
    const std::uint64_t number = key / page_size;
    if (number >= max_directory_) return nullptr;
    // Grown as it is needed: a file may have a million planes.
    if (number >= directory_.size()) {
        if (pages_left_ == 0) return nullptr;
        directory_.resize(std::min(max_directory_, std::max<std::size_t>(number + 1, 2 * directory_.size())), 0);
    }
    std::uint32_t& page = directory_[number];
    if (page == 0) {
        if (pages_left_ == 0) return nullptr;
        --pages_left_;
        if (pages_.empty()) pages_.resize(page_size, absent);
        page = static_cast<std::uint32_t>(pages_.size() / page_size);
        pages_.resize(pages_.size() + page_size, absent);
    }
    return &pages_[page * page_size + key % page_size];
}

std::int64_t FlowTable::intern(std::uint64_t type, std::uint64_t id) {
    if (static_cast<std::size_t>(count_) * 4 >= entries_.size() * 3) grow();
    Entry& entry = entries_[slot(type, id)];
    if (entry.number < 0) entry = {type, id, count_++};
    return entry.number;
}

std::size_t FlowTable::slot(std::uint64_t type, std::uint64_t id) const {
    // Finaliser of splitmix64: ids are often consecutive or aligned.
    std::uint64_t hash = id + type * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    const std::size_t mask = entries_.size() - 1;
    std::size_t index = static_cast<std::size_t>(hash) & mask;
    while (entries_[index].number >= 0 && (entries_[index].type != type || entries_[index].id != id))
        index = (index + 1) & mask;
    return index;
}

void FlowTable::grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2, Entry{0, 0, -1});
    old.swap(entries_);
    for (const Entry& entry : old)
        if (entry.number >= 0) entries_[slot(entry.type, entry.id)] = entry;
}

}  // namespace tilescope::xspace
