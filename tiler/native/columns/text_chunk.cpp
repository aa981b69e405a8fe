#include "columns/text_chunk.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "columns/varint.hpp"

namespace tilescope {

namespace {

[[noreturn]] void refuse() { throw std::invalid_argument("a chunk of texts is damaged"); }

std::uint64_t folded(std::uint64_t difference) {
    return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}

std::uint64_t unfolded(std::uint64_t number) { return number >> 1 ^ ((number & 1) != 0 ? ~std::uint64_t{0} : 0); }

// A shape of a chunk that is read: what stands before each number, and behind the last.
struct Pieces {
    std::size_t first;  // of its pieces
    std::size_t count;
    std::size_t first_number;
};

std::string_view take_text(Bytes bytes, std::size_t& offset) {
    const std::uint64_t size = take_varint(bytes, offset);
    if (size > bytes.size() - offset) refuse();
    const std::string_view text = text_of(bytes.subspan(offset, static_cast<std::size_t>(size)));
    offset += text.size();
    return text;
}

std::vector<std::string_view> take_shapes(Bytes bytes, std::size_t& offset) {
    std::vector<std::string_view> shapes;
    const std::uint64_t count = take_varint(bytes, offset);
    if (count > bytes.size()) refuse();
    shapes.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t k = 0; k < count; ++k) shapes.push_back(take_text(bytes, offset));
    return shapes;
}

void put_text(std::string_view text, std::string& out, std::size_t most_bytes) {
    if (text.size() > most_bytes - out.size()) refuse();
    out += text;
}

}  // namespace

TextChunks::Shape& TextChunks::shape(std::uint64_t number) {
    if (number > texts_.shapes()) refuse();
    if (shapes_.size() < number) shapes_.resize(texts_.shapes());
    Shape& entry = shapes_[number - 1];
    if (entry.size == 0) {
        const std::string_view text = texts_.shape(static_cast<std::int32_t>(number - 1));
        entry.size = text.size();
        entry.numbers = static_cast<std::size_t>(std::count(text.begin(), text.end(), kNumberMark));
    }
    return entry;
}

// Begins a text of this shape. Where it is the first in the chunk, the shape gets a place there; `text` says what it is.
template <typename Text>
void TextChunks::place(Shape& shape, const Text& text) {
    if (shape.chunk != chunk_) {
        shape.chunk = chunk_;
        shape.place = ++places_;
        shape.first_number = before_.size();
        before_.resize(before_.size() + shape.numbers);
        const std::string_view characters = text();
        head_.ensure(kLongestVarint + characters.size());
        put_varint(characters.size(), head_);
        head_.append_unchecked(characters);
    }
    rows_.ensure((shape.numbers + 1) * kLongestVarint);
    put_varint(shape.place, rows_);
}

void TextChunks::add_value(std::size_t k, std::uint64_t value) {
    put_varint(folded(value - before_[k]), rows_);
    before_[k] = value;
}

// Writes a text that was packed as it is, by its shape if it has one, and returns its part in the size of the chunk.
std::size_t TextChunks::add_plain(std::string_view text) {
    if (!scanned_.begin(text.size()) || !scanned_.add(text)) {
        rows_.ensure(2 * kLongestVarint + text.size());
        put_varint(kTextAsItIs, rows_);
        put_varint(text.size(), rows_);
        rows_.append_unchecked(text);
        return text.size();
    }
    const auto number = static_cast<std::size_t>(late_.intern(scanned_.text()));
    const Span<const std::uint64_t> values = scanned_.values();
    if (number == late_shapes_.size()) late_shapes_.push_back({scanned_.text().size(), values.size(), 0, 0, 0});
    const Shape& shape = late_shapes_[number];
    place(late_shapes_[number], [&] { return scanned_.text(); });
    std::size_t bytes = shape.size;
    for (std::size_t k = 0; k < values.size(); ++k) {
        add_value(shape.first_number + k, values[k]);
        bytes += varint_size(values[k]);
    }
    return bytes;
}

TextChunk TextChunks::next(Span<const std::int64_t> ends, Bytes packed, std::size_t first, std::size_t most_bytes,
                           std::size_t most_rows) {
    if (first >= ends.size()) throw std::invalid_argument("texts that are not there");
    ++chunk_;
    before_.clear();
    head_.clear();
    rows_.clear();
    places_ = 0;
    late_ = Interner();
    late_shapes_.clear();
    TextChunk chunk;
    std::size_t bytes = 0;
    std::int64_t begin = first == 0 ? 0 : ends[first - 1];
    for (std::size_t row = first; row < ends.size() && chunk.counts.size() < most_rows && bytes <= most_bytes; ++row) {
        if (begin < 0 || ends[row] < begin) throw std::invalid_argument("ends decrease");
        const Bytes texts =
            packed.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[row] - begin));
        begin = ends[row];
        std::uint32_t count = 0;
        for (std::size_t offset = 0; offset < texts.size(); ++count) {
            const std::uint64_t number = take_varint(texts, offset);
            if (number == kTextAsItIs) {
                const std::uint64_t size = take_varint(texts, offset);
                if (size > texts.size() - offset) refuse();
                bytes += add_plain(text_of(texts.subspan(offset, static_cast<std::size_t>(size))));
                offset += static_cast<std::size_t>(size);
                continue;
            }
            Shape& text_shape = shape(number);
            place(text_shape, [&] { return texts_.shape(static_cast<std::int32_t>(number - 1)); });
            const std::size_t first_value = offset;
            for (std::size_t k = text_shape.first_number; k < text_shape.first_number + text_shape.numbers; ++k)
                add_value(k, take_varint(texts, offset));
            bytes += text_shape.size + (offset - first_value);
        }
        chunk.counts.push_back(count);
    }
    Column<char> how_many;
    how_many.ensure(kLongestVarint);
    put_varint(places_, how_many);
    chunk.bytes.reserve(how_many.size() + head_.size() + rows_.size());
    for (const Column<char>* part : {&how_many, &head_, &rows_}) chunk.bytes.append(part->data(), part->size());
    return chunk;
}

RowShapes row_shapes_of_chunk(Span<const std::uint32_t> counts, Bytes bytes) {
    std::size_t offset = 0;
    RowShapes out{take_shapes(bytes, offset), {}};
    std::vector<std::size_t> numbers;
    numbers.reserve(out.shapes.size());
    for (const std::string_view shape : out.shapes)
        numbers.push_back(static_cast<std::size_t>(std::count(shape.begin(), shape.end(), kNumberMark)));
    out.rows.reserve(counts.size());
    for (const std::uint32_t count : counts) {
        std::int32_t row = count == 0 ? kNoText : kNoShape;
        for (std::uint32_t text = 0; text < count; ++text) {
            const std::uint64_t number = take_varint(bytes, offset);
            if (number == kTextAsItIs) {
                take_text(bytes, offset);
                continue;
            }
            if (number > numbers.size()) refuse();
            const auto place = static_cast<std::size_t>(number - 1);
            for (std::size_t k = 0; k < numbers[place]; ++k) take_varint(bytes, offset);
            if (count == 1) row = static_cast<std::int32_t>(place);
        }
        out.rows.push_back(row);
    }
    if (offset != bytes.size()) refuse();
    return out;
}

ChunkTexts texts_of_chunk(Span<const std::uint32_t> counts, Bytes bytes, std::size_t most_bytes) {
    std::size_t offset = 0;
    const std::vector<std::string_view> head = take_shapes(bytes, offset);
    std::vector<Pieces> shapes;
    std::vector<std::string_view> pieces;
    std::size_t numbers = 0;
    for (std::string_view rest : head) {
        const std::size_t first = pieces.size();
        for (std::size_t mark = rest.find(kNumberMark); mark != std::string_view::npos; mark = rest.find(kNumberMark)) {
            pieces.push_back(rest.substr(0, mark));
            rest.remove_prefix(mark + 1);
        }
        pieces.push_back(rest);
        shapes.push_back({first, pieces.size() - first, numbers});
        numbers += pieces.size() - first - 1;
    }
    std::vector<std::uint64_t> before(numbers, 0);
    ChunkTexts out;
    out.ends.reserve(counts.size());
    for (const std::uint32_t count : counts) {
        for (std::uint32_t text = 0; text < count; ++text) {
            const std::uint64_t number = take_varint(bytes, offset);
            if (number == kTextAsItIs) {
                put_text(take_text(bytes, offset), out.texts, most_bytes);
                continue;
            }
            if (number > shapes.size()) refuse();
            const Pieces& shape = shapes[static_cast<std::size_t>(number - 1)];
            put_text(pieces[shape.first], out.texts, most_bytes);
            for (std::size_t k = 1; k < shape.count; ++k) {
                std::uint64_t& value = before[shape.first_number + k - 1];
                value += unfolded(take_varint(bytes, offset));
                char digits[20];
                const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
                put_text({digits, static_cast<std::size_t>(end - digits)}, out.texts, most_bytes);
                put_text(pieces[shape.first + k], out.texts, most_bytes);
            }
        }
        out.ends.push_back(static_cast<std::int64_t>(out.texts.size()));
    }
    if (offset != bytes.size()) refuse();
    return out;
}

}  // namespace tilescope
