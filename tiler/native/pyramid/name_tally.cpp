#include "pyramid/name_tally.hpp"

#include <utility>

namespace tilescope {

namespace {

constexpr std::size_t kParts = 8;

}  // namespace

void NameTally::close() {
    slices_->take(parts_);
    if (parts_.size() >= kParts) merge_parts();
}

void NameTally::take_from(NameTally& other) {
    for (NameRows& part : other.parts_) parts_.push_back(std::move(part));
    other.parts_.clear();
    if (parts_.size() >= kParts) merge_parts();
}

const NameRows& NameTally::sums() {
    if (parts_.empty()) parts_.emplace_back();
    merge_parts();
    return parts_.front();
}

void NameTally::merge_parts() {
    if (parts_.size() < 2) return;
    parts_.push_back(slices_->merged(parts_));
}

}  // namespace tilescope
