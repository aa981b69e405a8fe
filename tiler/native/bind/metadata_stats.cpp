// Binds what is read of the metadata of operations: chosen stats with their values, and what a breakdown of bytes says.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
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

// The stats of a plane that somebody wants, by their places.
class ChosenStats {
  public:
    explicit ChosenStats(std::vector<std::vector<std::int64_t>> ids) : ids_(std::move(ids)) {}

    nb::list read(const nb::bytes& raw) const {
        std::vector<nb::object> found(ids_.size(), nb::none());
        const wire::Source source = source_of(raw);
        Cursor cursor(source, {0, source.size()}, "metadata");
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            if ((tag & 7) != 2) {
                cursor.skip(tag);
                continue;
            }
            take(source, cursor.message("stat"), found);
        }
        nb::list values;
        for (nb::object& value : found) values.append(std::move(value));
        return values;
    }

  private:
    void take(const wire::Source& source, Cursor stat, std::vector<nb::object>& found) const {
        std::int64_t id = 0;
        std::uint32_t form = 0;
        std::uint64_t bits = 0;
        double real = 0;
        wire::Range text;
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
            form = number;
            switch (tag) {
            case 2 << 3 | 1: real = stat.fixed_double(); break;
            case 3 << 3:
            case 4 << 3:
            case 7 << 3: bits = stat.varint(); break;
            case 5 << 3 | 2:
            case 6 << 3 | 2: text = stat.bytes("text"); break;
            default: stat.fail_type(tag);
            }
        }
        for (std::size_t place = 0; place < ids_.size(); ++place)
            for (const std::int64_t wanted : ids_[place])
                if (wanted == id) found[place] = value(source, form, bits, real, text);
    }

    static nb::object value(const wire::Source& source, std::uint32_t form, std::uint64_t bits, double real,
                            wire::Range text) {
        switch (form) {
        case 2: return nb::float_(real);
        case 3: return nb::int_(bits);
        case 4: return nb::int_(static_cast<std::int64_t>(bits));
        case 5: return text_or_bytes(wire::text(source, text));
        case 6: return to_bytes(wire::text(source, text));
        case 7: return nb::make_tuple(static_cast<std::int64_t>(bits));
        default: return nb::none();
        }
    }

    std::vector<std::vector<std::int64_t>> ids_;
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
        .def("read", &ChosenStats::read, nb::arg("raw"), nb::sig("def read(self, raw: bytes) -> list[object]"),
             "Returns the values of the stats in these fields, None where there is none. A reference is a tuple with\n"
             "the number of its name; a text that is no UTF-8 is bytes.");
    m.def("memory_traffic", &memory_traffic, nb::arg("raw"),
          nb::sig("def memory_traffic(raw: bytes) -> list[tuple[int, int, int]]"),
          "Returns the operation, the memory and the bytes of each part of a breakdown.");
}

}  // namespace tilescope
