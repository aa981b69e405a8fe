// What stats of metadata say, as small numbers: what is equal has one, and is made a value only when somebody looks at it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/span.hpp"
#include "columns/intern.hpp"
#include "xspace/wanted_ids.hpp"
#include "xspace/wire.hpp"

namespace tilescope {

// A stat as it lies in the file. `form` is the field that has it, 0: nothing.
struct SaidStat {
    std::uint32_t form = 0;
    std::uint64_t bits = 0;  // of a number
    wire::Range text;
};

// Which stats of a plane are read, by their places.
class StatChoice {
  public:
    explicit StatChoice(const std::vector<std::vector<std::int64_t>>& ids);

    std::size_t size() const { return size_; }

    // No other choice has it, nor ever had.
    std::uint64_t number() const { return number_; }

    // What some metadata says, by place; of a stat that comes twice, the last. Throws wire::Error.
    void read(const wire::Source& metadata, Span<SaidStat> found) const;

    // The same of one stat, which lies there.
    void read_one(const wire::Source& source, wire::Range stat, Span<SaidStat> found) const;

  private:
    void take(wire::Cursor stat, Span<SaidStat> found) const;

    std::size_t size_;
    std::uint64_t number_;
    xspace::WantedIds wanted_;
};

class StatCodes {
  public:
    enum class Form : std::uint8_t { nothing, text, bytes, number, negative, real };

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
    std::int32_t of_text_or_bytes(std::string_view text);
    std::int32_t of_text_or_bytes(std::string_view text, std::uint64_t hash);

    // The same for what `expect_text` and `expect` said the hash of.
    std::int32_t of_text(std::string_view text, std::uint64_t hash);

    // That of what a stat says; of a reference none.
    std::int32_t of_stat(const wire::Source& metadata, const SaidStat& said, std::uint64_t hash);

    // That of a text; -1: it has none.
    std::int32_t find(std::string_view text) const;

    // Has memory fetch what the code of a text, or of what a stat says, will be looked up in, and returns the hash.
    std::uint64_t expect_text(std::string_view text) const { return table(Form::text).expect(text); }
    std::uint64_t expect(const wire::Source& metadata, const SaidStat& said) const;

    // What has a code. Throws std::out_of_range.
    Value at(std::int32_t code) const;

    // Whether a word is in the text that has a code; never in a number. Throws std::out_of_range.
    bool says(std::int32_t code, std::string_view word) const;

    std::size_t size() const { return entries_.size(); }

  private:
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
};

}  // namespace tilescope
