// Values of stats of metadata as small numbers: what is equal has one, and is made a value only when somebody looks at
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "columns/intern.hpp"
#include "xspace/wanted_ids.hpp"
#include "xspace/wire.hpp"

namespace tilescope {

// A stat as it lies in the file. `form` is the field that has it, 0: nothing.
struct StatValue {
    std::uint32_t form = 0;
    std::uint64_t bits = 0;  // of a number
    wire::Range text;
};

// The value of a stat, ready to be looked up.
class HashedStat {
  public:
    // Beside the fields of a stat: the name of something, which is a text whatever its bytes are.
    static constexpr std::uint32_t kName = 8;

    HashedStat() = default;

    // Throws std::length_error for a text of 4 GB.
    HashedStat(std::uint32_t form, std::string_view text);
    HashedStat(std::uint32_t form, std::uint64_t bits) : word_(bits), form_(form) {}

    std::uint32_t form() const { return form_; }
    std::uint64_t bits() const { return word_; }  // of a number, a real, or a reference
    std::uint64_t hash() const { return word_; }  // of a text or bytes
    std::string_view text() const { return {text_, size_}; }

  private:
    std::uint64_t word_ = 0;
    const char* text_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t form_ = 0;  // 0: nothing
};

// The stats of a plane that are read, by their places.
class StatChoice {
  public:
    explicit StatChoice(const std::vector<std::vector<std::int64_t>>& ids);

    std::size_t size() const { return size_; }

    // No other choice has it, nor ever had.
    std::uint64_t number() const { return number_; }

    // Reads the stats of some metadata, by place; of a stat that comes twice, the last. Throws wire::Error.
    void read(const wire::Source& metadata, Span<StatValue> values) const;

    // The same of one stat, which lies there.
    void read_one(const wire::Source& source, wire::Range stat, Span<StatValue> values) const;

  private:
    void take(wire::Cursor stat, Span<StatValue> values) const;

    std::size_t size_;
    std::uint64_t number_;
    xspace::WantedIds wanted_;
};

class StatCodes {
  public:
    enum class Form : std::uint8_t { nothing, text, bytes, number, negative, real, unread, later };

    // A text that is read later is `unread` until then, and `later` from then on: a text for whoever looks at it.
    // A text that is no UTF-8 has this form when it is the name of something, and is bytes when a stat says it.
    struct Value {
        Form form = Form::nothing;
        std::uint64_t bits = 0;  // of a number; a negative one and a real as they lie in memory
        std::string_view text;
    };

    StatCodes();

    // The codes of values; that of nothing and of an empty text is 0.
    std::int32_t of_text(std::string_view text);
    std::int32_t of_bytes(std::string_view bytes);
    std::int32_t of_number(std::uint64_t number);
    std::int32_t of_negative(std::int64_t number);
    std::int32_t of_real(double number);

    // The code of the value of a stat; of a reference none.
    std::int32_t of_stat(const HashedStat& stat);

    // Has memory fetch what the code of a stat will be looked up in.
    void expect(const HashedStat& stat) const;

    // That of a text; -1: it has none.
    std::int32_t find(std::string_view text) const;

    // The value that has a code. Throws std::out_of_range, also for a text that has not been read.
    Value at(std::int32_t code) const;

    // The values of some codes as bytes: a number has eight. Throws std::out_of_range.
    struct Stored {
        std::vector<std::uint8_t> forms;
        std::vector<std::int64_t> ends;  // of each where its bytes end
        std::string data;
    };
    Stored stored(Span<const std::int32_t> codes) const;

    // Adds values that were stored, in their order, each of which is new; and after them texts that are read later. Throws
    // std::invalid_argument.
    void load(Span<const std::uint8_t> forms, Span<const std::int64_t> ends, Bytes data, std::size_t later);

    // Says what such a text is. Throws std::invalid_argument for a code of anything else.
    void read_later(std::int32_t code, std::string_view text);
    bool is_unread(std::int32_t code) const {
        return code >= 0 && entries_.at(static_cast<std::size_t>(code)).form == Form::unread;
    }

    // True if a word is in the text that has a code; never in a number. Throws std::out_of_range.
    bool says(std::int32_t code, std::string_view word) const;

    // Makes room for so many more texts, and for so many bytes of theirs.
    void reserve(std::size_t texts, std::size_t bytes);

    // Number of codes but for those of small numbers.
    std::size_t size() const { return entries_.size(); }

    // The bytes of all values together, but for texts that are read later.
    std::size_t bytes() const;

  private:
    // Small numbers are their own codes, from the least of all codes on.
    static constexpr std::int32_t kZero = std::numeric_limits<std::int32_t>::min();
    static constexpr std::int32_t kSmallNumbers = 1 << 30;

    struct Entry {
        Form form;
        std::int32_t number;  // in the table of the form
    };

    std::int32_t code(Form form, std::string_view key);
    std::int32_t code(Form form, std::string_view key, std::uint64_t hash);
    const Interner& table(Form form) const { return tables_[static_cast<std::size_t>(form)]; }

    std::vector<Interner> tables_;  // by form
    std::vector<std::vector<std::int32_t>> codes_;  // by form and number in its table
    std::vector<Entry> entries_;  // by code
    std::deque<std::string> later_;  // texts that were read later
};

}  // namespace tilescope
