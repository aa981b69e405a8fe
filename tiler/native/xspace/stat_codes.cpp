#include "xspace/stat_codes.hpp"

#include <atomic>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "columns/utf8.hpp"

namespace tilescope {

namespace {

constexpr std::size_t kForms = static_cast<std::size_t>(StatCodes::Form::real) + 1;  // that have tables

std::uint64_t next_choice() {
    static std::atomic<std::uint64_t> choices{0};
    return choices++;
}

std::string_view bytes_of_bits(const std::uint64_t& bits) {
    return {reinterpret_cast<const char*>(&bits), sizeof(bits)};
}

}  // namespace

HashedStat::HashedStat(std::uint32_t form, std::string_view text)
    : word_(text.empty() ? 0 : Interner::hash(text)),
      text_(text.data()),
      size_(static_cast<std::uint32_t>(text.size())),
      form_(form) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a text of 4 GB");
}

StatChoice::StatChoice(const std::vector<std::vector<std::int64_t>>& ids)
    : size_(ids.size()), number_(next_choice()), wanted_(ids) {}

void StatChoice::read(const wire::Source& metadata, Span<StatValue> values) const {
    if (values.size() != size_) throw std::invalid_argument("room for other stats than are read");
    wire::Cursor cursor(metadata, {0, metadata.size()}, "metadata");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if ((tag & 7) == 2) take(cursor.message("stat"), values);
        else cursor.skip(tag);
    }
}

void StatChoice::read_one(const wire::Source& source, wire::Range stat, Span<StatValue> values) const {
    if (values.size() != size_) throw std::invalid_argument("room for other stats than are read");
    take(wire::Cursor(source, stat, "stat"), values);
}

void StatChoice::take(wire::Cursor stat, Span<StatValue> values) const {
    std::int64_t id = 0;
    StatValue value;
    while (!stat.at_end()) {
        const std::uint32_t tag = stat.tag();
        const std::uint32_t number = wire::field_number(tag);
        if (tag == wire::varint_field(1)) {
            id = stat.signed_varint();
            continue;
        }
        if (number < 2 || number > 7) {
            stat.skip(tag);
            continue;
        }
        value.form = number;
        switch (tag) {
        case wire::fixed64_field(2): {
            const double real = stat.fixed_double();
            std::memcpy(&value.bits, &real, sizeof(real));
            break;
        }
        case wire::varint_field(3):
        case wire::varint_field(4):
        case wire::varint_field(7): value.bits = stat.varint(); break;
        case wire::bytes_field(5):
        case wire::bytes_field(6): value.text = stat.bytes("text"); break;
        default: stat.fail_type(tag);
        }
    }
    wanted_.each(id, [&](std::size_t place) { values[place] = value; });
}

StatCodes::StatCodes() : tables_(kForms), codes_(kForms) { entries_.push_back({Form::nothing, 0}); }

std::int32_t StatCodes::of_text(std::string_view text) { return text.empty() ? 0 : code(Form::text, text); }

std::int32_t StatCodes::of_bytes(std::string_view bytes) { return code(Form::bytes, bytes); }

std::int32_t StatCodes::of_number(std::uint64_t number) {
    if (number < kSmallNumbers) return kZero + static_cast<std::int32_t>(number);
    return code(Form::number, bytes_of_bits(number));
}

std::int32_t StatCodes::of_negative(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    return number >= 0 ? of_number(bits) : code(Form::negative, bytes_of_bits(bits));
}

std::int32_t StatCodes::of_real(double number) {
    // All that are not numbers are one.
    const double real = number != number ? std::numeric_limits<double>::quiet_NaN() : number;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &real, sizeof(real));
    return code(Form::real, bytes_of_bits(bits));
}

std::int32_t StatCodes::of_stat(const HashedStat& stat) {
    switch (stat.form()) {
    case 2: {
        const std::uint64_t bits = stat.bits();
        double real = 0;
        std::memcpy(&real, &bits, sizeof(real));
        return of_real(real);
    }
    case 3: return of_number(stat.bits());
    case 4: return of_negative(static_cast<std::int64_t>(stat.bits()));
    case 5: {
        const std::string_view text = stat.text();
        if (text.empty()) return 0;
        const std::int32_t number = table(Form::text).find(text, stat.hash());
        if (number >= 0) return codes_[static_cast<std::size_t>(Form::text)][static_cast<std::size_t>(number)];
        return code(utf8::is_valid(text) ? Form::text : Form::bytes, text, stat.hash());
    }
    case 6: return code(Form::bytes, stat.text(), stat.hash());
    case HashedStat::kName: return stat.text().empty() ? 0 : code(Form::text, stat.text(), stat.hash());
    default: return 0;
    }
}

void StatCodes::expect(const HashedStat& stat) const {
    if (stat.form() == 5 || stat.form() == HashedStat::kName) table(Form::text).expect(stat.hash());
    else if (stat.form() == 6) table(Form::bytes).expect(stat.hash());
}

void StatCodes::reserve(std::size_t texts, std::size_t bytes) {
    const auto form = static_cast<std::size_t>(Form::text);
    tables_[form].reserve(texts, bytes);
    codes_[form].reserve(codes_[form].size() + texts);
    entries_.reserve(entries_.size() + texts);
}

std::int32_t StatCodes::find(std::string_view text) const {
    const std::int32_t number = table(Form::text).find(text);
    return number < 0 ? -1 : codes_[static_cast<std::size_t>(Form::text)][static_cast<std::size_t>(number)];
}

StatCodes::Value StatCodes::at(std::int32_t code) const {
    if (code < kZero + kSmallNumbers) return {Form::number, static_cast<std::uint64_t>(code - kZero), {}};
    const Entry& entry = entries_.at(static_cast<std::size_t>(code));
    Value value{entry.form, 0, {}};
    if (entry.form == Form::nothing) return value;
    if (entry.form == Form::unread) throw std::out_of_range("a text that has not been read");
    if (entry.form == Form::later) return {Form::text, 0, later_[static_cast<std::size_t>(entry.number)]};
    const std::string_view key = table(entry.form).at(entry.number);
    if (entry.form == Form::text || entry.form == Form::bytes) value.text = key;
    else std::memcpy(&value.bits, key.data(), sizeof(value.bits));
    return value;
}

std::size_t StatCodes::bytes() const {
    std::size_t total = 0;
    for (const Interner& interner : tables_) total += interner.bytes();
    return total;
}

StatCodes::Stored StatCodes::stored(Span<const std::int32_t> codes) const {
    Stored out;
    out.forms.reserve(codes.size());
    out.ends.reserve(codes.size());
    for (const std::int32_t code : codes) {
        const Value value = at(code);
        const bool is_text = value.form == Form::text || value.form == Form::bytes;
        out.forms.push_back(static_cast<std::uint8_t>(value.form));
        if (value.form != Form::nothing) out.data += is_text ? value.text : bytes_of_bits(value.bits);
        out.ends.push_back(static_cast<std::int64_t>(out.data.size()));
    }
    return out;
}

void StatCodes::load(Span<const std::uint8_t> forms, Span<const std::int64_t> ends, Bytes data, std::size_t later) {
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    if (same_size(forms, ends) > kMost || later > kMost - forms.size()) throw std::invalid_argument("too many values");
    reserve(forms.size(), data.size());
    std::size_t begin = 0;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const auto form = static_cast<Form>(forms[k]);
        const bool is_text = form == Form::text || form == Form::bytes;
        const auto end = static_cast<std::size_t>(ends[k]);
        if (ends[k] < 0 || end < begin || end > data.size()) throw std::invalid_argument("a value beyond its bytes");
        if (form == Form::nothing || forms[k] >= kForms || (!is_text && end - begin != sizeof(std::uint64_t)))
            throw std::invalid_argument("a value of no form");
        const std::size_t before = entries_.size();
        code(form, text_of(data.subspan(begin, end - begin)));
        if (entries_.size() == before) throw std::invalid_argument("a value that is there twice");
        begin = end;
    }
    entries_.resize(entries_.size() + later, {Form::unread, 0});
}

void StatCodes::read_later(std::int32_t code, std::string_view text) {
    if (code < 0 || static_cast<std::size_t>(code) >= entries_.size() || !is_unread(code))
        throw std::invalid_argument("no text that is read later");
    entries_[static_cast<std::size_t>(code)] = {Form::later, static_cast<std::int32_t>(later_.size())};
    later_.emplace_back(text);
}

bool StatCodes::says(std::int32_t code, std::string_view word) const {
    const std::string_view text = at(code).text;
    return !word.empty() && text.size() >= word.size() &&
           memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

std::int32_t StatCodes::code(Form form, std::string_view key) { return code(form, key, Interner::hash(key)); }

std::int32_t StatCodes::code(Form form, std::string_view key, std::uint64_t hash) {
    const auto table_index = static_cast<std::size_t>(form);
    const std::int32_t number = tables_[table_index].intern(key, hash);
    if (static_cast<std::size_t>(number) == codes_[table_index].size()) {
        if (entries_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
            throw std::length_error("too many distinct values");
        }
        codes_[table_index].push_back(static_cast<std::int32_t>(entries_.size()));
        entries_.push_back({form, number});
    }
    return codes_[table_index][static_cast<std::size_t>(number)];
}

}  // namespace tilescope
