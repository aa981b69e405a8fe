#include "columns/wordings.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "columns/json_numbers.hpp"
#include "columns/varint.hpp"

namespace tilescope {

namespace {

// Beyond this, wordings hardly repeat: a list of them would be as long as the arguments are.
constexpr TextRoom room{8192, std::size_t{1} << 21, 16, std::size_t{1} << 24, 64, 7, 8};
constexpr std::size_t event_bytes = 32;  // of any event: how many bytes its text takes packed differs from time to time

constexpr char kOpenMark = '\1';

constexpr std::size_t longest_text = std::size_t{1} << 20;  // a longer one is not listed

// So many wordings may texts have that are alike but for numbers; more, if each is of four events.
constexpr std::int64_t few_wordings = 64;
constexpr std::int64_t events_per_wording = 4;

bool has_marks(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return c == kNumberMark || c == kOpenMark; });
}

}  // namespace

Wordings::Wordings(const PackedTexts& texts, std::size_t part_events) : packed_(texts), parts_(part_events, room) {}

void Wordings::add(Span<const std::int64_t> ends, std::int64_t begin, Bytes packed) {
    for (const std::int64_t end : ends) {
        if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > packed.size())
            throw std::invalid_argument("arguments lie beyond the data");
        if (begin != end) {
            parts_.see(event_bytes);
            if (parts_.has_room())
                add(packed.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        }
        parts_.end_row();
        begin = end;
    }
}

PartTexts& Wordings::finish() {
    parts_.finish();
    return parts_;
}

void Wordings::add(Bytes packed) {
    std::size_t offset = 0;
    const std::uint64_t number = take_varint(packed, offset);
    if (number == kTextAsItIs) return count_text(packed, nullptr);
    Shape& text_shape = shape(number);
    values_.clear();
    for (std::size_t k = 0; k < text_shape.numbers; ++k) values_.push_back(take_varint(packed, offset));
    if (offset < packed.size()) return count_text(packed, nullptr);  // several texts
    if (!count_alike(text_shape)) count_text(packed, &text_shape);
}

Wordings::Shape& Wordings::shape(std::uint64_t number) {
    if (number > packed_.shapes()) throw std::invalid_argument("packed texts are damaged");
    if (places_.size() < number) places_.resize(packed_.shapes());
    std::uint32_t& place = places_[number - 1];
    if (place == 0) {
        const std::string_view text = packed_.shape(static_cast<std::int32_t>(number - 1));
        Shape entry;
        entry.numbers = static_cast<std::size_t>(std::count(text.begin(), text.end(), kNumberMark));
        entry.first_number = before_.size();
        before_.resize(before_.size() + entry.numbers);
        shapes_.push_back(std::move(entry));
        place = static_cast<std::uint32_t>(shapes_.size());
    }
    return shapes_[place - 1];
}

// Counts an event whose text is known by the one before of its shape. False if it is not.
bool Wordings::count_alike(const Shape& shape) {
    // Texts of several shapes may be of one kind, which has too many wordings since.
    if (shape.wording < 0 || shape.is_open != kinds_[shape.kind].is_open) return false;
    if (!shape.is_open) {
        for (const std::uint32_t number : shape.in_words)
            if (before_[shape.first_number + number] != values_[number]) return false;
    }
    ++kinds_[shape.kind].events;
    parts_.count(shape.wording);
    return true;
}

// Counts an event whose text is read. `shape`: of its one text, which has these values.
void Wordings::count_text(Bytes packed, Shape* shape) {
    text_.clear();
    packed_.unpack(packed, text_);
    if (text_.size() > longest_text || has_marks(text_)) return parts_.leave_out();
    const bool is_strict = write_wordings();
    // Kinds take no more room than the texts that are listed.
    if (opened_.find(open_) < 0 && !parts_.has_room_for(is_strict ? exact_.size() : open_.size()))
        return parts_.leave_out();
    const auto number = static_cast<std::size_t>(opened_.intern(open_));
    if (number == kinds_.size()) kinds_.push_back({});
    Kind& kind = kinds_[number];
    ++kind.events;
    if (is_strict && !kind.is_open && parts_.find(exact_) < 0) {
        ++kind.wordings;
        kind.is_open = kind.wordings > few_wordings && kind.wordings * events_per_wording > kind.events;
    }
    kind.is_open = kind.is_open || !is_strict;
    const std::int32_t wording = parts_.count(kind.is_open ? open_ : exact_);
    if (shape == nullptr || wording < 0) return;
    if (shape->wording < 0) find_numbers_in_words(*shape);
    shape->wording = wording;
    shape->is_open = kind.is_open;
    shape->kind = number;
    std::copy(values_.begin(), values_.end(), before_.begin() + static_cast<std::ptrdiff_t>(shape->first_number));
}

// Notes which numbers of the shape are in words, by the text that was read.
void Wordings::find_numbers_in_words(Shape& shape) const {
    std::uint32_t number = 0;
    for (std::size_t k = 0; k < text_.size(); ++number) {
        while (k < text_.size() && !is_digit(text_[k])) ++k;
        // Zeros before other digits belong to the shape, as text_shape.hpp has it.
        while (k + 1 < text_.size() && text_[k] == '0' && is_digit(text_[k + 1])) ++k;
        if (k == text_.size()) break;
        if (mask_[k] == 0) shape.in_words.push_back(number);
        for (std::size_t digits = 0; digits < kMostDigits && k < text_.size() && is_digit(text_[k]); ++digits) ++k;
    }
}

// Writes both wordings of the text. False if it is not written strictly: then the exact one is none.
bool Wordings::write_wordings() {
    const bool is_strict = mask_numbers(text_, mask_);
    exact_.clear();
    open_.clear();
    for (std::size_t k = 0; k < text_.size(); ++k) {
        if (!is_digit(text_[k])) {
            exact_ += text_[k];
            open_ += text_[k];
            continue;
        }
        const bool is_first = k == 0 || !is_digit(text_[k - 1]);
        if (is_first) open_ += kOpenMark;
        if (mask_[k] == 0) {
            exact_ += text_[k];
        } else if (is_first) {
            exact_ += kNumberMark;
        }
    }
    return is_strict;
}

}  // namespace tilescope
