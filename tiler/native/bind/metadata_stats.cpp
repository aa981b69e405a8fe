// Binds what is read of the metadata of operations: chosen stats with their values, what a breakdown of bytes says, and
// where the parts of large messages lie.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "xspace/message_parts.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

using wire::Cursor;

nb::object text_or_bytes(std::string_view text) {
    nb::object found = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict"));
    if (found.is_valid()) return found;
    PyErr_Clear();
    return to_bytes(text);
}

wire::Source source_of(const nb::bytes& raw) {
    return {reinterpret_cast<const std::uint8_t*>(raw.c_str()), raw.size()};
}

// What a stat says, as it lies in the file; form 0: nothing.
struct StatValue {
    std::uint32_t form = 0;
    std::uint64_t bits = 0;
    double real = 0;
    wire::Range text;
};

nb::object object_of(const wire::Source& source, const StatValue& value) {
    switch (value.form) {
    case 2: return nb::float_(value.real);
    case 3: return nb::int_(value.bits);
    case 4: return nb::int_(static_cast<std::int64_t>(value.bits));
    case 5: return text_or_bytes(wire::text(source, value.text));
    case 6: return to_bytes(wire::text(source, value.text));
    case 7: return nb::make_tuple(static_cast<std::int64_t>(value.bits));
    default: return nb::none();
    }
}

// The stats of a plane that somebody wants, by their places.
class ChosenStats {
  public:
    explicit ChosenStats(std::vector<std::vector<std::int64_t>> ids) : ids_(std::move(ids)) {}

    std::size_t size() const { return ids_.size(); }

    nb::list read(const nb::bytes& raw) const {
        const wire::Source source = source_of(raw);
        std::vector<StatValue> found(ids_.size());
        read(source, found);
        nb::list values;
        for (const StatValue& value : found) values.append(object_of(source, value));
        return values;
    }

    void read(const wire::Source& source, std::vector<StatValue>& found) const {
        Cursor cursor(source, {0, source.size()}, "metadata");
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            if ((tag & 7) != 2) {
                cursor.skip(tag);
                continue;
            }
            take(cursor.message("stat"), found);
        }
    }

  private:
    void take(Cursor stat, std::vector<StatValue>& found) const {
        std::int64_t id = 0;
        StatValue value;
        while (!stat.at_end()) {
            const std::uint32_t tag = stat.tag();
            const std::uint32_t number = tag >> 3;
            if (number == 1 && (tag & 7) == 0) {
                id = stat.signed_varint();
                continue;
            }
            if (number < 2 || number > 7) {
                stat.skip(tag);
                continue;
            }
            value.form = number;
            switch (tag) {
            case 2 << 3 | 1: value.real = stat.fixed_double(); break;
            case 3 << 3:
            case 4 << 3:
            case 7 << 3: value.bits = stat.varint(); break;
            case 5 << 3 | 2:
            case 6 << 3 | 2: value.text = stat.bytes("text"); break;
            default: stat.fail_type(tag);
            }
        }
        for (std::size_t place = 0; place < ids_.size(); ++place)
            for (const std::int64_t wanted : ids_[place])
                if (wanted == id) found[place] = value;
    }

    std::vector<std::vector<std::int64_t>> ids_;
};

// Values of stats by numbers: what is equal has one number. 0 is nothing.
class StatCodes {
  public:
    StatCodes() { add(nb::none(), ""); }

    // Of some entries, whose stats and texts lie in columns: the numbers of the text and of the chosen stats, one row after
    // the other. Damaged stats say nothing.
    OutColumn<std::int32_t> read(const InColumn<std::int64_t>& stats_end, const InColumn<std::uint8_t>& stats,
                                 const InColumn<std::int64_t>& text_end, const InColumn<std::uint8_t>& texts,
                                 const InColumn<std::int64_t>& at, const ChosenStats& chosen, const nb::dict& names) {
        std::vector<std::int32_t> rows;
        rows.reserve(at.size() * (chosen.size() + 1));
        std::vector<StatValue> values;
        for (const std::int64_t place : span_of(at)) {
            const std::string_view text = text_of(bytes_at(span_of(text_end), span_of(texts), place));
            rows.push_back(text.empty() ? 0 : number_of('t', text, [&] { return text_or_bytes(text); }));
            const wire::Source source = bytes_at(span_of(stats_end), span_of(stats), place);
            values.assign(chosen.size(), {});
            try {
                chosen.read(source, values);
            } catch (const wire::Error&) {
                values.assign(chosen.size(), {});
            }
            for (const StatValue& value : values) rows.push_back(of_value(source, value, names));
        }
        return to_numpy(std::move(rows));
    }

    // The number of a value: None, an int, a float, a text or bytes.
    std::int32_t of(const nb::object& value) {
        if (value.is_none()) return 0;
        nb::str text;
        if (nb::try_cast(value, text)) {
            Py_ssize_t size = 0;
            const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
            if (utf8 == nullptr) throw nb::python_error();  // a text that no UTF-8 has
            const std::string_view view(utf8, static_cast<std::size_t>(size));
            return view.empty() ? 0 : number_of('t', view, [&] { return value; });
        }
        nb::bytes bytes;
        if (nb::try_cast(value, bytes)) return number_of('b', view_of(bytes), [&] { return value; });
        const nb::bytes shown = nb::bytes(nb::repr(value).c_str());
        return number_of('o', view_of(shown), [&] { return value; });
    }

    std::size_t size() const { return values_.size(); }

    // What has these numbers, from one of them on.
    nb::list values(std::size_t first) const {
        nb::list found;
        for (std::size_t at = first; at < values_.size(); ++at) found.append(values_[at]);
        return found;
    }

  private:
    static Bytes bytes_at(Span<const std::int64_t> ends, Bytes data, std::int64_t place) {
        if (place < 0 || static_cast<std::size_t>(place) >= ends.size())
            throw std::invalid_argument("a page of metadata is cut short");
        const auto at = static_cast<std::size_t>(place);
        const std::int64_t begin = at == 0 ? 0 : ends[at - 1];
        if (begin < 0 || ends[at] < begin || static_cast<std::uint64_t>(ends[at]) > data.size())
            throw std::invalid_argument("metadata lies beyond its page");
        return data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[at] - begin));
    }

    std::int32_t of_value(const wire::Source& source, const StatValue& value, const nb::dict& names) {
        switch (value.form) {
        case 0: return 0;
        case 3:
        case 4: {
            const bool is_negative = value.form == 4 && static_cast<std::int64_t>(value.bits) < 0;
            auto& known = is_negative ? negative_ : numbers_;
            const auto found = known.find(value.bits);
            if (found != known.end()) return found->second;
            return known[value.bits] = of(object_of(source, value));
        }
        case 5: {
            const std::string_view view = wire::text(source, value.text);
            if (view.empty()) return 0;
            const auto found = texts_.find(key('t', view));
            return found != texts_.end() ? found->second : of(text_or_bytes(view));
        }
        case 6: return number_of('b', wire::text(source, value.text), [&] { return object_of(source, value); });
        case 7: {
            const nb::int_ id(static_cast<std::int64_t>(value.bits));
            const nb::object name = names.contains(id) ? nb::object(names[id]) : nb::object(nb::str(""));
            if (nb::len(name) != 0) return of(name);
            return of(nb::str("[stat {}]").attr("format")(id));
        }
        default: return of(object_of(source, value));
        }
    }

    template <typename Make>
    std::int32_t number_of(char form, std::string_view view, const Make& make) {
        const auto found = texts_.find(key(form, view));
        return found != texts_.end() ? found->second : add(make(), key_);
    }

    const std::string& key(char form, std::string_view view) {
        key_.assign(1, form);
        key_.append(view);
        return key_;
    }

    std::int32_t add(nb::object value, const std::string& of) {
        if (values_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw std::bad_alloc();
        const auto number = static_cast<std::int32_t>(values_.size());
        values_.push_back(std::move(value));
        texts_.emplace(of, number);
        return number;
    }

    std::vector<nb::object> values_;
    std::unordered_map<std::string, std::int32_t> texts_;
    std::unordered_map<std::uint64_t, std::int32_t> numbers_, negative_;
    std::string key_;
};

// Rows of numbers by their place: what is equal has one.
class RowPlaces {
  public:
    explicit RowPlaces(std::size_t width) : width_(width) {
        if (width == 0) throw std::invalid_argument("rows without columns");
    }

    OutColumn<std::int64_t> add(const InColumn<std::int32_t>& rows) {
        const Span<const std::int32_t> all = span_of(rows);
        if (all.size() % width_ != 0) throw std::invalid_argument("rows that are cut short");
        std::vector<std::int64_t> found;
        found.reserve(all.size() / width_);
        for (std::size_t at = 0; at < all.size(); at += width_) {
            const auto* row = all.data() + at;
            key_.assign(reinterpret_cast<const char*>(row), width_ * sizeof(std::int32_t));
            const auto [known, is_new] = places_.try_emplace(key_, static_cast<std::int64_t>(places_.size()));
            if (is_new) rows_.insert(rows_.end(), row, row + width_);
            found.push_back(known->second);
        }
        return to_numpy(std::move(found));
    }

    std::size_t size() const { return places_.size(); }

    OutColumn<std::int32_t> rows(std::size_t first) const {
        if (first > size()) throw std::invalid_argument("rows that there are not");
        return to_numpy(
            std::vector<std::int32_t>(rows_.begin() + static_cast<std::ptrdiff_t>(first * width_), rows_.end()));
    }

  private:
    std::size_t width_;
    std::vector<std::int32_t> rows_;
    std::unordered_map<std::string, std::int64_t> places_;
    std::string key_;
};

nb::list memory_traffic(const nb::bytes& raw) {
    nb::list found;
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
        found.append(nb::make_tuple(values[0], values[1], values[2]));
    }
    return found;
}

}  // namespace

void bind_metadata_stats(nb::module_& m) {
    nb::class_<ChosenStats>(m, "ChosenStats", "Reads chosen stats of metadata: for each place, those of some ids.")
        .def(nb::init<std::vector<std::vector<std::int64_t>>>(), nb::arg("ids"))
        .def("read", nb::overload_cast<const nb::bytes&>(&ChosenStats::read, nb::const_), nb::arg("raw"),
             nb::sig("def read(self, raw: bytes) -> list[object]"),
             "Returns the values of the stats in these fields, None where there is none. A reference is a tuple with\n"
             "the number of its name; a text that is no UTF-8 is bytes.");
    nb::class_<StatCodes>(m, "StatCodes", "Values of stats by numbers: what is equal has one. Number 0 is nothing.")
        .def(nb::init<>())
        .def("read", &StatCodes::read, nb::arg("stats_end"), nb::arg("stats"), nb::arg("text_end"), nb::arg("texts"),
             nb::arg("at"), nb::arg("chosen"), nb::arg("names"),
             nb::sig("def read(self, stats_end: NDArray[numpy.int64], stats: NDArray[numpy.uint8], text_end: "
                     "NDArray[numpy.int64], texts: NDArray[numpy.uint8], at: NDArray[numpy.int64], chosen: "
                     "ChosenStats, names: dict[int, str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]"),
             "Returns numbers for each entry at some places: of its text, and of the chosen stats. Entry k has the\n"
             "stats stats[stats_end[k-1]:stats_end[k]], its text likewise. `names` are what references name.")
        .def("__len__", &StatCodes::size)
        .def("of", &StatCodes::of, nb::arg("value").none(),
             nb::sig("def of(self, value: None | int | float | str | bytes) -> int"), "Returns the number of a value.")
        .def("values", &StatCodes::values, nb::arg("first") = 0,
             nb::sig("def values(self, first: int = 0) -> list[object]"),
             "Returns what has the numbers from `first` on.");
    nb::class_<RowPlaces>(m, "RowPlaces", "Rows of numbers by their place: what is equal has one.")
        .def(nb::init<std::size_t>(), nb::arg("width"))
        .def("add", &RowPlaces::add, nb::arg("rows"),
             "Returns the place of each of some rows, which lie one after the other.")
        .def("__len__", &RowPlaces::size)
        .def("rows", &RowPlaces::rows, nb::arg("first") = 0,
             "Returns the rows from this place on, one after the other.");
    m.def(
        "message_parts",
        [](const nb::bytes& raw, const InColumn<std::int64_t>& starts, const InColumn<std::int64_t>& stops,
           std::uint32_t field, std::size_t most) {
            MessageParts found;
            {
                nb::gil_scoped_release release;
                found = message_parts(source_of(raw), span_of(starts), span_of(stops), field, most);
            }
            return nb::make_tuple(to_numpy(std::move(found.of)), to_numpy(std::move(found.start)),
                                  to_numpy(std::move(found.stop)));
        },
        nb::arg("raw"), nb::arg("starts"), nb::arg("stops"), nb::arg("field"), nb::arg("most"),
        nb::sig("def message_parts(raw: bytes, starts: NDArray[numpy.int64], stops: NDArray[numpy.int64], field: int, "
                "most: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
        "Returns the parts that are a field of the messages [starts[k], stops[k]): of each its message, its start and\n"
        "its stop. Raises ValueError for what is no message, and for more parts than `most`.");
    m.def(
        "message_numbers",
        [](const nb::bytes& raw, const InColumn<std::int64_t>& starts, const InColumn<std::int64_t>& stops,
           std::uint32_t field) {
            std::vector<std::int64_t> found;
            {
                nb::gil_scoped_release release;
                found = message_numbers(source_of(raw), span_of(starts), span_of(stops), field);
            }
            return to_numpy(std::move(found));
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
