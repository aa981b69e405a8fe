// Binds what is read of the metadata of operations: chosen stats with their values, what a breakdown of bytes says, and
// where the parts of large messages lie.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/span.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/unlocked.hpp"
#include "xspace/entry_stats.hpp"
#include "xspace/message_parts.hpp"
#include "xspace/metadata_rows.hpp"
#include "xspace/named_parts.hpp"
#include "xspace/stat_codes.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using wire::Cursor;

wire::Source source_of(const nb::bytes& raw) {
    return {reinterpret_cast<const std::uint8_t*>(raw.c_str()), raw.size()};
}

nb::object text_or_bytes(std::string_view text) {
    nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
    if (decoded.is_valid()) return decoded;
    PyErr_Clear();
    return to_bytes(text);
}

std::string_view utf8_of(const nb::str& text) {
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (utf8 == nullptr) throw nb::python_error();  // a text that no UTF-8 has
    return {utf8, static_cast<std::size_t>(size)};
}

// The stats of a plane that somebody wants, and what references in them name.
class ChosenStats {
  public:
    ChosenStats(const std::vector<std::vector<std::int64_t>>& ids, nb::dict names)
        : choice_(ids), names_(std::move(names)) {}

    const StatChoice& choice() const { return choice_; }

    nb::str name(std::uint64_t reference) const {
        const nb::int_ id(static_cast<std::int64_t>(reference));
        const nb::str name = names_.contains(id) ? nb::str(names_[id]) : nb::str("");
        return nb::len(name) != 0 ? name : nb::str(nb::str("[stat {}]").attr("format")(id));
    }

  private:
    StatChoice choice_;
    nb::dict names_;
};

// The codes of what references of a plane name: many refer to few names.
class ReferenceCodes {
  public:
    ReferenceCodes(StatCodes& codes, const ChosenStats& chosen) : codes_(codes), chosen_(chosen) {}

    std::int32_t operator()(std::uint64_t reference) {
        const auto entry = codes_by_reference_.find(reference);
        if (entry != codes_by_reference_.end()) return entry->second;
        const std::int32_t code = codes_.of_text(utf8_of(chosen_.name(reference)));
        codes_by_reference_.emplace(reference, code);
        return code;
    }

  private:
    StatCodes& codes_;
    const ChosenStats& chosen_;
    std::unordered_map<std::uint64_t, std::int32_t> codes_by_reference_;
};

// Returns the code of the one stat that is chosen, for some entries, whose stats lie in a column.
OutColumn<std::int32_t> read_stats(StatCodes& codes, const InColumn<std::int64_t>& stats_end,
                                   const InColumn<std::uint8_t>& stats, const InColumn<std::int64_t>& positions,
                                   const ChosenStats& chosen) {
    if (chosen.choice().size() != 1) throw std::invalid_argument("one stat is read");
    const EntryStats chosen_stats(EntryBytes{span_of(stats_end), span_of(stats)}.at(span_of(positions)),
                                  chosen.choice());
    std::vector<std::int32_t> entry_codes(chosen_stats.size());
    chosen_stats.write_codes(codes, ReferenceCodes(codes, chosen), 0, entry_codes.size(), entry_codes.data(), 1);
    return to_numpy(std::move(entry_codes));
}

// Rows of metadata, and the pages of the entries that they are of.
class BoundRows {
  public:
    explicit BoundRows(std::size_t width) : rows_(width) {}

    MetadataRows& rows() { return rows_; }

    // Reads the stats of the entries that have no rows. Other threads run meanwhile.
    ReadEntries read(const EntryBytes& stats, const EntryBytes& texts, Span<const std::int64_t> positions,
                     Span<const std::int32_t> names, const StatChoice& choice) const {
        const Unlocked unlocked;
        const std::shared_lock<std::shared_mutex> lock(guard_);
        return {stats.at(positions), texts.at(positions), names, choice, seen_};
    }

    // Keeps entries, which lie in these pages, as long as there is room.
    void keep(const ReadEntries& entries, Span<const std::int32_t> names, Span<const std::int64_t> rows,
              const InColumn<std::uint8_t>& stats, const InColumn<std::uint8_t>& texts) {
        const std::size_t bytes = stats.size() + texts.size();
        if (entries.are_all_seen() || bytes > kMostKept - kept_bytes_) return;
        kept_bytes_ += bytes;
        kept_.push_back(stats);
        kept_.push_back(texts);
        const std::unique_lock<std::shared_mutex> lock(guard_);
        seen_.add(entries, names, rows);
    }

  private:
    // The most bytes of pages that are kept: those of 150,000 instructions. More than that are read again.
    static constexpr std::size_t kMostKept = std::size_t{64} << 20;

    MetadataRows rows_;
    SeenEntries seen_;
    mutable std::shared_mutex guard_;  // of `seen_`; nobody waits for Python's lock who holds it
    std::vector<InColumn<std::uint8_t>> kept_;
    std::size_t kept_bytes_ = 0;
};

// Entries at some places of a page, read, whose arrays stay with them.
class BoundEntries {
  public:
    BoundEntries(const BoundRows& rows, const InColumn<std::int64_t>& stats_end, InColumn<std::uint8_t> stats,
                 const InColumn<std::int64_t>& text_end, InColumn<std::uint8_t> texts,
                 const InColumn<std::int64_t>& positions, const InColumn<std::int32_t>& names,
                 const ChosenStats& chosen)
        : stats_(std::move(stats)),
          texts_(std::move(texts)),
          entries_(rows.read({span_of(stats_end), span_of(stats_)}, {span_of(text_end), span_of(texts_)},
                             span_of(positions), span_of(names), chosen.choice())) {}

    // Their rows, which are kept.
    std::vector<std::int64_t> rows(BoundRows& rows, StatCodes& codes, Span<const std::int32_t> names,
                                   const ChosenStats& chosen) const {
        std::vector<std::int64_t> added_rows = rows.rows().add(codes, entries_, names, ReferenceCodes(codes, chosen));
        rows.keep(entries_, names, added_rows, stats_, texts_);
        return added_rows;
    }

  private:
    InColumn<std::uint8_t> stats_, texts_;
    ReadEntries entries_;
};

std::int32_t code_of(StatCodes& codes, const nb::object& value) {
    if (value.is_none()) return 0;
    if (nb::str text; nb::try_cast(value, text)) return codes.of_text(utf8_of(text));
    if (nb::bytes bytes; nb::try_cast(value, bytes)) return codes.of_bytes(view_of(bytes));
    if (double real = 0; PyFloat_Check(value.ptr()) && nb::try_cast(value, real)) return codes.of_real(real);
    if (std::uint64_t number = 0; nb::try_cast(value, number)) return codes.of_number(number);
    if (std::int64_t number = 0; nb::try_cast(value, number)) return codes.of_negative(number);
    throw std::invalid_argument("a stat is a number, a text or bytes");
}

nb::object value_of(const StatCodes& codes, std::int32_t code) {
    const StatCodes::Value value = codes.at(code);
    switch (value.form) {
    case StatCodes::Form::text: return text_or_bytes(value.text);
    case StatCodes::Form::bytes: return to_bytes(value.text);
    case StatCodes::Form::number: return nb::int_(value.bits);
    case StatCodes::Form::negative: return nb::int_(static_cast<std::int64_t>(value.bits));
    case StatCodes::Form::real: {
        double real = 0;
        std::memcpy(&real, &value.bits, sizeof(real));
        return nb::float_(real);
    }
    default: return nb::none();
    }
}

nb::list values_of(const StatCodes& codes, const InColumn<std::int32_t>& selected) {
    nb::list values;
    for (const std::int32_t code : span_of(selected)) values.append(value_of(codes, code));
    return values;
}

// The numbers that some codes are of, where they are not negative; of other values 0. And which they are.
nb::tuple numbers_of(const StatCodes& codes, const InColumn<std::int32_t>& selected) {
    std::vector<std::uint64_t> numbers(selected.size());
    std::vector<std::uint8_t> are(selected.size());
    for (std::size_t k = 0; k < selected.size(); ++k) {
        const StatCodes::Value value = codes.at(selected.data()[k]);
        are[k] = value.form == StatCodes::Form::number ? 1 : 0;
        numbers[k] = are[k] != 0 ? value.bits : 0;
    }
    return nb::make_tuple(to_numpy(std::move(numbers)), to_numpy(std::move(are)));
}

// Says what texts are, of those of some codes that were not read: those of some entries, which lie in a column.
void read_later(StatCodes& codes, const InColumn<std::int32_t>& unread, const InColumn<std::int64_t>& ends,
                const InColumn<std::uint8_t>& data, const InColumn<std::int64_t>& positions) {
    const std::vector<Bytes> texts = EntryBytes{span_of(ends), span_of(data)}.at(span_of(positions));
    if (texts.size() != unread.size()) throw std::invalid_argument("columns of different lengths");
    for (std::size_t k = 0; k < texts.size(); ++k) {
        if (codes.is_unread(unread.data()[k])) codes.read_later(unread.data()[k], text_of(texts[k]));
    }
}

// The parts of bytes that stay with them.
class BoundParts {
  public:
    BoundParts(InColumn<std::uint8_t> raw, std::size_t start, std::size_t stop, const PartFields& fields,
               std::size_t most)
        : raw_(std::move(raw)), message_(part_of(raw_, start, stop)), parts_(read(message_, fields, most)) {}

    const NamedParts& parts() const { return parts_; }

    nb::bytes outer_at(std::size_t place) const { return slice(parts_.outer_at(place).bytes); }
    nb::bytes other() const { return slice(parts_.other()); }

    nb::object find(const nb::bytes& name) const {
        PartPlace part;
        if (!parts_.find(view_of(name), part)) return nb::none();
        return nb::make_tuple(part.within, slice(part.bytes));
    }

  private:
    static Bytes part_of(const InColumn<std::uint8_t>& raw, std::size_t start, std::size_t stop) {
        if (start > stop || stop > raw.size()) throw std::invalid_argument("a message beyond the bytes that there are");
        return span_of(raw).subspan(start, stop - start);
    }

    static NamedParts read(const Bytes& raw, const PartFields& fields, std::size_t most) {
        const Unlocked unlocked;
        return {raw, fields, most};
    }

    nb::bytes slice(wire::Range range) const { return to_bytes(wire::text(message_, range)); }

    InColumn<std::uint8_t> raw_;
    Bytes message_;
    NamedParts parts_;
};

nb::list memory_traffic(const nb::bytes& raw) {
    nb::list accesses;
    const wire::Source source = source_of(raw);
    Cursor cursor(source, {0, source.size()}, "breakdown");
    while (!cursor.at_end()) {
        const std::uint32_t tag = cursor.tag();
        if (tag != (1 << 3 | 2)) {
            cursor.skip(tag);
            continue;
        }
        Cursor part = cursor.message("part");
        std::uint64_t values[3] = {0, 0, 0};
        while (!part.at_end()) {
            const std::uint32_t field = part.tag();
            const std::uint32_t number = field >> 3;
            if ((field & 7) == 0 && number <= 3) values[number - 1] = part.varint();
            else part.skip(field);
        }
        accesses.append(nb::make_tuple(values[0], values[1], values[2]));
    }
    return accesses;
}

}  // namespace

void bind_metadata_stats(nb::module_& m) {
    nb::class_<ChosenStats>(m, "ChosenStats", "Which stats of a plane are read: for each place, those of some ids.")
        .def(nb::init<const std::vector<std::vector<std::int64_t>>&, nb::dict>(), nb::arg("ids"), nb::arg("names"),
             nb::sig("def __init__(self, ids: Sequence[Sequence[int]], names: dict[int, str]) -> None"),
             "`names` are what references name.");
    nb::class_<StatCodes>(m, "StatCodes", "Values of stats by numbers: what is equal has one. Number 0 is nothing.")
        .def(nb::init<>())
        .def("read_stats", &read_stats, nb::arg("stats_end"), nb::arg("stats"), nb::arg("at"), nb::arg("chosen"),
             "Returns the number of each entry at some places of what its one chosen stat says. Entry k has the stats\n"
             "stats[stats_end[k-1]:stats_end[k]].")
        .def("reserve", &StatCodes::reserve, nb::arg("texts"), nb::arg("bytes"),
             "Makes room for so many more texts, and for so many bytes of theirs.")
        .def("__len__", &StatCodes::size)
        .def_prop_ro("size_bytes", &StatCodes::bytes, "What all values take that are not read later.")
        .def(
            "stored",
            [](const StatCodes& self, const InColumn<std::int32_t>& codes) {
                StatCodes::Stored stored = self.stored(span_of(codes));
                return nb::make_tuple(to_numpy(std::move(stored.forms)), to_numpy(std::move(stored.ends)),
                                      to_bytes(stored.data));
            },
            nb::arg("codes"),
            nb::sig("def stored(self, codes: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint8], "
                    "NDArray[numpy.int64], bytes]"),
            "Returns what has these numbers as forms, ends and bytes, for `load`. Raises IndexError.")
        .def(
            "load",
            [](StatCodes& self, const InColumn<std::uint8_t>& forms, const InColumn<std::int64_t>& ends,
               const InColumn<std::uint8_t>& data,
               std::size_t later) { self.load(span_of(forms), span_of(ends), span_of(data), later); },
            nb::arg("forms"), nb::arg("ends"), nb::arg("data"), nb::arg("later"),
            "Adds values that were stored, each of which is new, and then so many texts that are read later. Raises\n"
            "ValueError.")
        .def("read_later", &read_later, nb::arg("codes"), nb::arg("ends"), nb::arg("data"), nb::arg("at"),
             "Says what those are of some numbers that are read later: the texts at some places of a column. Raises\n"
             "ValueError, IndexError.")
        .def("of", &code_of, nb::arg("value").none(),
             nb::sig("def of(self, value: None | int | float | str | bytes) -> int"), "Returns the number of a value.")
        .def("value", &value_of, nb::arg("code"),
             nb::sig("def value(self, code: int) -> None | int | float | str | bytes"),
             "Returns what has this number: bytes are also a text that is no UTF-8. Raises IndexError.")
        .def("values", &values_of, nb::arg("codes"),
             nb::sig("def values(self, codes: NDArray[numpy.int32]) -> list[None | int | float | str | bytes]"),
             "Returns what has these numbers. Raises IndexError.")
        .def(
            "saying",
            [](const StatCodes& self, const InColumn<std::int32_t>& codes, const nb::bytes& word) {
                std::vector<std::uint8_t> matches;
                matches.reserve(codes.size());
                for (const std::int32_t code : span_of(codes))
                    matches.push_back(self.says(code, view_of(word)) ? 1 : 0);
                return to_numpy(std::move(matches));
            },
            nb::arg("codes"), nb::arg("word"),
            nb::sig("def saying(self, codes: NDArray[numpy.int32], word: bytes) -> NDArray[numpy.uint8]"),
            "Returns of each number 1 where a word, not empty, is in its text. Raises IndexError.")
        .def(
            "plain_paths",
            [](const StatCodes& self, const InColumn<std::int32_t>& codes, const nb::bytes& unless) {
                std::vector<std::uint8_t> plain;
                plain.reserve(codes.size());
                for (const std::int32_t code : span_of(codes)) {
                    const StatCodes::Value value = self.at(code);
                    const bool is_plain = value.form == StatCodes::Form::text && value.text != view_of(unless) &&
                                          value.text.size() > 1 && value.text.find(':') == value.text.size() - 1;
                    plain.push_back(is_plain ? 1 : 0);
                }
                return to_numpy(std::move(plain));
            },
            nb::arg("codes"), nb::arg("unless"),
            nb::sig("def plain_paths(self, codes: NDArray[numpy.int32], unless: bytes) -> NDArray[numpy.uint8]"),
            "Returns of each number 1 where it is of a text whose only colon is its end. Raises IndexError.")
        .def(
            "find", [](const StatCodes& self, const nb::bytes& text) { return self.find(view_of(text)); },
            nb::arg("text"), "Returns the number of a text in UTF-8; -1: it has none.")
        .def("numbers", &numbers_of, nb::arg("codes"),
             nb::sig("def numbers(self, codes: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint64], "
                     "NDArray[numpy.uint8]]"),
             "Returns what has these numbers where it is an integer that is not negative, else 0; and 1 where it is\n"
             "one. Raises IndexError.");
    nb::class_<BoundRows>(m, "MetadataRows", "Rows of numbers by their place: what is equal has one.")
        .def(nb::init<std::size_t>(), nb::arg("width"))
        .def(
            "add",
            [](BoundRows& self, const InColumn<std::int32_t>& rows) {
                return to_numpy(self.rows().add(span_of(rows)));
            },
            nb::arg("rows"), "Returns the place of each of some rows, which lie one after the other.")
        .def(
            "reserve", [](BoundRows& self, std::size_t rows) { self.rows().reserve(rows); }, nb::arg("rows"),
            "Makes room for so many more rows.")
        .def("__len__", [](BoundRows& self) { return self.rows().size(); })
        .def(
            "rows", [](BoundRows& self, std::size_t first) { return to_numpy(self.rows().rows(first)); },
            nb::arg("first") = 0, "Returns the rows from this place on, one after the other.");
    nb::class_<BoundEntries>(m, "ReadEntries", "What entries of a page say, as far as the like of them has no rows.")
        .def(nb::init<const BoundRows&, const InColumn<std::int64_t>&, InColumn<std::uint8_t>,
                      const InColumn<std::int64_t>&, InColumn<std::uint8_t>, const InColumn<std::int64_t>&,
                      const InColumn<std::int32_t>&, const ChosenStats&>(),
             nb::arg("rows"), nb::arg("stats_end"), nb::arg("stats"), nb::arg("text_end"), nb::arg("texts"),
             nb::arg("at"), nb::arg("names"), nb::arg("chosen"),
             "Of the entries at some places, which have these names, -1 unknown ones. Entry k has the stats\n"
             "stats[stats_end[k-1]:stats_end[k]], its text likewise. Other threads run meanwhile.")
        .def(
            "rows",
            [](const BoundEntries& self, BoundRows& rows, StatCodes& codes, const InColumn<std::int32_t>& names,
               const ChosenStats& chosen) { return to_numpy(self.rows(rows, codes, span_of(names), chosen)); },
            nb::arg("rows"), nb::arg("codes"), nb::arg("names"), nb::arg("chosen"),
            "Returns the place of the row of each entry: the number of its name, that of its text, and those of the\n"
            "chosen stats.");
    nb::class_<BoundParts>(m, "NamedParts", "Where the parts of a message lie that are in others, by their names.")
        .def(
            "__init__",
            [](BoundParts* self, InColumn<std::uint8_t> raw, std::size_t start, std::size_t stop, std::uint32_t outer,
               std::uint32_t number, std::uint32_t inner, std::uint32_t name, std::uint32_t other, std::size_t most) {
                new (self) BoundParts(std::move(raw), start, stop, {outer, number, inner, name, other}, most);
            },
            nb::arg("raw"), nb::arg("start"), nb::arg("stop"), nb::arg("outer"), nb::arg("number"), nb::arg("inner"),
            nb::arg("name"), nb::arg("other"), nb::arg("most"),
            nb::sig("def __init__(self, raw: bytes | NDArray[numpy.uint8], start: int, stop: int, outer: int, number: "
                    "int, inner: int, name: int, other: int, most: int) -> None"),
            "Of the message raw[start:stop], which nobody may change: the fields that have its parts, the number of\n"
            "each, the parts in these, and the names of those; and one that has something else. Raises ValueError for\n"
            "what is no message, and for more parts than `most`.")
        .def_prop_ro(
            "outer", [](const BoundParts& self) { return self.parts().outer(); }, "How many parts the message has.")
        .def_prop_ro(
            "inner", [](const BoundParts& self) { return self.parts().inner(); }, "How many are in these.")
        .def_prop_ro(
            "names", [](const BoundParts& self) { return self.parts().names(); }, "How many names these have.")
        .def(
            "place_of", [](const BoundParts& self, std::int64_t number) { return self.parts().place_of(number); },
            nb::arg("number"), "Returns the place of the part with a number, the last of several; -1 without one.")
        .def_prop_ro("other", &BoundParts::other,
                     "The bytes of the other field, the last of several; empty without one.")
        .def("outer_at", &BoundParts::outer_at, nb::arg("place"),
             "Returns the bytes of a part of the message. Raises IndexError.")
        .def(
            "find", &BoundParts::find, nb::arg("name"),
            nb::sig("def find(self, name: bytes) -> tuple[int, bytes] | None"),
            "Returns of the part with a name, the last of several, the place of the one that it is in, and its bytes;\n"
            "None without one.");
    m.def(
        "message_parts",
        [](const InColumn<std::uint8_t>& raw, const InColumn<std::int64_t>& starts, const InColumn<std::int64_t>& stops,
           std::uint32_t field, std::size_t most) {
            MessageParts parts;
            {
                const Unlocked unlocked;
                parts = message_parts(span_of(raw), span_of(starts), span_of(stops), field, most);
            }
            return nb::make_tuple(to_numpy(std::move(parts.message)), to_numpy(std::move(parts.start)),
                                  to_numpy(std::move(parts.stop)));
        },
        nb::arg("raw"), nb::arg("starts"), nb::arg("stops"), nb::arg("field"), nb::arg("most"),
        nb::sig("def message_parts(raw: bytes | NDArray[numpy.uint8], starts: NDArray[numpy.int64], "
                "stops: NDArray[numpy.int64], field: int, most: int) -> tuple[NDArray[numpy.int64], "
                "NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Returns the parts that are a field of the messages [starts[k], stops[k]): of each its message, its start and\n"
        "its stop. Raises ValueError for what is no message, and for more parts than `most`.");
    m.def(
        "message_numbers",
        [](const nb::bytes& raw, const InColumn<std::int64_t>& starts, const InColumn<std::int64_t>& stops,
           std::uint32_t field) {
            std::vector<std::int64_t> numbers;
            {
                const Unlocked unlocked;
                numbers = message_numbers(source_of(raw), span_of(starts), span_of(stops), field);
            }
            return to_numpy(std::move(numbers));
        },
        nb::arg("raw"), nb::arg("starts"), nb::arg("stops"), nb::arg("field"),
        nb::sig("def message_numbers(raw: bytes, starts: NDArray[numpy.int64], stops: NDArray[numpy.int64], "
                "field: int) -> NDArray[numpy.int64]"),
        "Returns of each message the number in a field, the last of several; 0 without one. Raises ValueError.");
    m.def("memory_traffic", &memory_traffic, nb::arg("raw"),
          nb::sig("def memory_traffic(raw: bytes) -> list[tuple[int, int, int]]"),
          "Returns the operation, the memory and the bytes of each part of a breakdown.");
}

}  // namespace tilescope
