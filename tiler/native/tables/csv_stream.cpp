#include "tables/csv_stream.hpp"

#include <algorithm>
#include <cstring>

#include "columns/utf8.hpp"

namespace tilescope {

namespace {

constexpr std::size_t most_record = std::size_t{16} << 20;
// Cells that the rows of a table lack: beyond them short rows are left out, as each takes a place in all columns.
constexpr std::size_t most_absent = std::size_t{1} << 26;
// Memory that a cell takes beside its text and state until its row is taken, and copied.
constexpr std::size_t number_bytes = 11;
constexpr std::size_t word_bytes = 100;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view white_space = " \t\r\n\v\f";

constexpr std::uint64_t ones = 0x0101010101010101U;
constexpr std::uint64_t high_bits = 0x8080808080808080U;

// A high bit for each byte that is this one; behind the first, others may have one, too.
std::uint64_t matches(std::uint64_t eight, char byte) {
    const std::uint64_t other = eight ^ (ones * static_cast<unsigned char>(byte));
    return (other - ones) & ~other & high_bits;
}

// The end of the cell that goes on at a place: a comma, the end of a line or of the text.
std::size_t find_end(std::string_view text, std::size_t place) {
    constexpr std::size_t at_once = sizeof(std::uint64_t);
    for (; place + at_once <= text.size(); place += at_once) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, text.data() + place, at_once);
        const std::uint64_t hits = matches(eight, ',') | matches(eight, '\n') | matches(eight, '\r');
        if (hits != 0) return place + static_cast<std::size_t>(__builtin_ctzll(hits)) / 8;
    }
    while (place < text.size() && text[place] != ',' && text[place] != '\n' && text[place] != '\r') ++place;
    return place;
}

}  // namespace

bool CsvStream::feed(std::string_view block, std::size_t most_rows, std::size_t most_bytes) {
    text_.erase(0, first_);
    first_ = 0;
    text_ += block;
    return read(most_rows, most_bytes, false);
}

bool CsvStream::finish(std::size_t most_rows, std::size_t most_bytes) { return read(most_rows, most_bytes, true); }

void CsvStream::clear() {
    for (CellColumn& column : columns_) column.clear();
    rows_ = 0;
    pending_bytes_ = 0;
}

bool CsvStream::read(std::size_t most_rows, std::size_t most_bytes, bool is_last) {
    if (!is_begun_) {
        if (!is_last && text_.size() < byte_order_mark.size()) return false;
        if (text_.compare(0, byte_order_mark.size(), byte_order_mark) == 0) first_ = byte_order_mark.size();
        is_begun_ = true;
    }
    while (first_ < text_.size()) {
        if (rows_ >= most_rows || pending_bytes_ >= most_bytes) return true;
        if (!scan_record(is_last)) return false;
        for (const std::size_t quote : open_) note(open_quotes, quote);
        const bool is_blank = cells_.size() == 1 && trimmed(cells_.front()).empty();
        if (!is_blank) {
            if (has_header_) {
                take_row();
            } else {
                take_header();
            }
        }
        line_ += lines_of_record();
        pending_bytes_ += position_ - first_;
        first_ = position_;
    }
    return false;
}

// Only quotes hold ends of lines beside the last.
std::uint64_t CsvStream::lines_of_record() const {
    if (unquoted_.empty()) return 1;
    const std::string_view whole = std::string_view(text_).substr(first_, position_ - first_);
    std::uint64_t lines = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) {
        lines += whole[k] == '\n' || (whole[k] == '\r' && (k + 1 == whole.size() || whole[k + 1] != '\n'));
    }
    return lines;
}

// True once all of the record is there.
bool CsvStream::scan_record(bool is_last) {
    cells_.clear();
    cell_count_ = 0;
    unquoted_.clear();
    open_.clear();
    position_ = first_;
    while (true) {
        const End end = scan_cell(is_last);
        if (end == End::record) return true;
        if (end == End::needs_more) {
            if (text_.size() - first_ < most_record) return false;
            // What was scanned of the last cell is one.
            note(cut_records, text_.size());
            push({position_, text_.size() - position_, position_, false});
            position_ = text_.size();
            return true;
        }
    }
}

CsvStream::End CsvStream::scan_cell(bool is_last) {
    std::size_t begin = position_;
    while (begin < text_.size() && text_[begin] == ' ') ++begin;
    if (begin == text_.size() && !is_last) return End::needs_more;
    End end = End::needs_more;
    if (begin < text_.size() && text_[begin] == '"' && scan_quoted(begin, is_last, end)) return end;
    return scan_plain(begin, is_last);
}

CsvStream::End CsvStream::scan_plain(std::size_t begin, bool is_last) {
    const std::size_t end = find_end(text_, begin);
    if (end == text_.size() && !is_last) return End::needs_more;
    const std::size_t before = position_;
    position_ = end;
    const End what = end_of_cell(is_last);
    if (what == End::needs_more) {
        position_ = before;
    } else {
        push({begin, end - begin, begin, false});
    }
    return what;
}

// False where the quote is a character like others, as it does not end.
bool CsvStream::scan_quoted(std::size_t quote, bool is_last, End& end) {
    const std::size_t first = unquoted_.size();
    std::size_t begin = quote + 1;
    while (true) {
        const std::size_t limit = std::min(text_.size(), quote + most_cell_);
        const void* next = begin < limit ? std::memchr(text_.data() + begin, '"', limit - begin) : nullptr;
        if (next == nullptr) {
            unquoted_.resize(first);
            if (!is_last && limit == text_.size()) {
                end = End::needs_more;
                return true;
            }
            open_.push_back(quote);
            return false;
        }
        const auto closing = static_cast<std::size_t>(static_cast<const char*>(next) - text_.data());
        if (closing + 1 == text_.size() && !is_last) {
            unquoted_.resize(first);
            end = End::needs_more;
            return true;
        }
        unquoted_.append(text_, begin, closing - begin);
        begin = closing + 1;
        if (begin == text_.size() || text_[begin] != '"') break;
        unquoted_ += '"';
        ++begin;
    }
    const std::size_t stop = find_end(text_, begin);
    const std::size_t before = position_;
    position_ = stop;
    end = stop == text_.size() && !is_last ? End::needs_more : end_of_cell(is_last);
    if (end == End::needs_more) {
        position_ = before;
        unquoted_.resize(first);
    } else {
        unquoted_.append(text_, begin, stop - begin);
        push({first, unquoted_.size() - first, quote, true});
    }
    return true;
}

// Keeps a cell. Of those that no table has room for one that is not empty is enough.
void CsvStream::push(const Cell& cell) {
    ++cell_count_;
    if (cells_.size() < most_columns_ || (cells_.size() == most_columns_ && !trimmed(cell).empty())) {
        cells_.push_back(cell);
    }
}

// Passes what ends a cell.
CsvStream::End CsvStream::end_of_cell(bool is_last) {
    if (position_ == text_.size()) return End::record;
    if (text_[position_] == ',') {
        ++position_;
        return End::cell;
    }
    if (text_[position_] == '\r') {
        if (position_ + 1 == text_.size() && !is_last) return End::needs_more;
        if (position_ + 1 < text_.size() && text_[position_ + 1] == '\n') ++position_;
    }
    ++position_;
    return End::record;
}

std::string_view CsvStream::trimmed(const Cell& cell) const {
    std::string_view text = std::string_view(cell.is_unquoted ? unquoted_ : text_).substr(cell.first, cell.size);
    const std::size_t first = text.find_first_not_of(white_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) + 1 - first);
}

void CsvStream::take_header() {
    has_header_ = true;
    const std::size_t count = std::min(cells_.size(), most_columns_);
    more_columns = cell_count_ - count;
    for (std::size_t k = 0; k < count; ++k) {
        const std::string_view name = trimmed(cells_[k]);
        if (!utf8::is_valid(name)) note(not_utf8, cells_[k].position);
        header_.emplace_back(name);
    }
    columns_.resize(count);
}

void CsvStream::take_row() {
    const std::size_t count = std::min(cells_.size(), columns_.size());
    absent_ += columns_.size() - count;
    if (count < columns_.size()) {
        note(short_rows, cells_.back().position);
        if (absent_ > most_absent) {
            note(left_out_rows, cells_.back().position);
            return;
        }
    }
    pending_bytes_ += columns_.size();  // states
    for (std::size_t k = 0; k < count; ++k) {
        CellColumn& column = columns_[k];
        const std::size_t numbers = column.numbers.size();
        const std::size_t words = column.words.size();
        const std::string_view cell = trimmed(cells_[k]);
        if (!column.add(cell)) note(not_utf8, cells_[k].position);
        // A word is a text here and in Python, with places in a table of both.
        if (column.numbers.size() > numbers) pending_bytes_ += number_bytes;
        if (column.words.size() > words) pending_bytes_ += cell.size() + word_bytes;
    }
    for (std::size_t k = count; k < columns_.size(); ++k) columns_[k].add_absent();
    if (cell_count_ > columns_.size() + more_columns) {
        const auto is_filled = [this](const Cell& cell) { return !trimmed(cell).empty(); };
        const auto more = std::find_if(cells_.begin() + static_cast<std::ptrdiff_t>(count), cells_.end(), is_filled);
        if (more != cells_.end()) note(long_rows, more->position);
    }
    ++rows_;
}

void CsvStream::note(CsvFault& fault, std::size_t position) const {
    if (fault.count++ > 0) return;
    fault.line = line_;
    std::size_t begin = first_;
    for (std::size_t k = first_; k + 1 < position; ++k) {
        if (text_[k] == '\n' || (text_[k] == '\r' && text_[k + 1] != '\n')) {
            ++fault.line;
            begin = k + 1;
        }
    }
    fault.column = position - begin + 1;
}

}  // namespace tilescope
