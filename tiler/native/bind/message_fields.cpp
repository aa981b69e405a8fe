// Binds a walk over the fields of any protobuf message: one by one, so that even millions of them take no memory. And one
// that takes some fields of small messages at once, of which there are thousands.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "xspace/wire.hpp"

namespace nb = nanobind;

namespace tilescope {

namespace {

// Keeps the bytes that it walks over.
class MessageFields {
  public:
    explicit MessageFields(nb::bytes raw)
        : raw_(std::move(raw)),
          source_(reinterpret_cast<const std::uint8_t*>(raw_.c_str()), raw_.size()),
          cursor_(source_, {0, source_.size()}, "message") {}
    MessageFields(const MessageFields&) = delete;
    MessageFields& operator=(const MessageFields&) = delete;

    nb::tuple next() {
        while (!cursor_.at_end()) {
            const std::uint32_t tag = cursor_.tag();
            switch (tag & 7) {
            case 0: return nb::make_tuple(wire::field_number(tag), cursor_.signed_varint());
            case 2:
                return nb::make_tuple(wire::field_number(tag), to_bytes(wire::text(source_, cursor_.bytes("field"))));
            default: cursor_.skip(tag);
            }
        }
        throw nb::stop_iteration();
    }

  private:
    nb::bytes raw_;
    wire::Source source_;
    wire::Cursor cursor_;
};

// Reads some fields of messages of one type: numbers, those of bytes, and numbers that are repeated, in this order.
class MessageValues {
  public:
    MessageValues(const std::vector<std::uint32_t>& numbers, const std::vector<std::uint32_t>& bytes,
                  const std::vector<std::uint32_t>& repeated)
        : bytes_(numbers.size()), repeated_(bytes_ + bytes.size()), size_(repeated_ + repeated.size()) {
        if (size_ >= none) throw std::invalid_argument("too many fields");
        for (const auto* fields : {&numbers, &bytes, &repeated}) {
            for (const std::uint32_t field : *fields) {
                if (field >= most_fields) throw std::invalid_argument("a field beyond those that are known");
                if (field >= place_.size()) place_.resize(field + 1, none);
                place_[field] = static_cast<std::uint8_t>(taken_++);
            }
        }
    }

    // Returns the values of these fields; of a field that is there several times the last, as everybody reads them. One
    // of another wire type is skipped.
    nb::tuple read(const nb::bytes& raw) const {
        const wire::Source source(reinterpret_cast<const std::uint8_t*>(raw.c_str()), raw.size());
        std::vector<Value> values(repeated_);
        std::vector<std::vector<std::int64_t>> repeated(size_ - repeated_);
        wire::Cursor cursor(source, {0, source.size()}, "message");
        while (!cursor.at_end()) {
            const std::uint32_t tag = cursor.tag();
            const std::uint32_t field = wire::field_number(tag);
            const std::size_t place = field < place_.size() ? place_[field] : none;
            const std::uint32_t type = tag & 7;
            if (place < bytes_ && type == 0) {
                values[place].number = cursor.signed_varint();
            } else if (place >= bytes_ && place < repeated_ && type == 2) {
                values[place].bytes = cursor.bytes("field");
            } else if (place >= repeated_ && place < size_ && type == 0) {
                repeated[place - repeated_].push_back(cursor.signed_varint());
            } else if (place >= repeated_ && place < size_ && type == 2) {
                wire::Cursor packed = cursor.message("field");
                while (!packed.at_end()) repeated[place - repeated_].push_back(packed.signed_varint());
            } else {
                cursor.skip(tag);
            }
        }
        nb::object fields = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(size_)));
        if (!fields.is_valid()) nb::raise_python_error();
        for (std::size_t k = 0; k < bytes_; ++k) put(fields, k, nb::int_(values[k].number));
        for (std::size_t k = bytes_; k < repeated_; ++k) put(fields, k, to_bytes(wire::text(source, values[k].bytes)));
        for (std::size_t k = repeated_; k < size_; ++k) put(fields, k, tuple_of(repeated[k - repeated_]));
        return nb::borrow<nb::tuple>(fields);
    }

  private:
    static constexpr std::uint32_t most_fields = 1024;
    static constexpr std::uint8_t none = 0xff;

    struct Value {
        std::int64_t number = 0;
        wire::Range bytes;
    };

    static void put(const nb::object& tuple, std::size_t place, nb::object value) {
        if (PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(place), value.release().ptr()) != 0)
            nb::raise_python_error();
    }

    static nb::object tuple_of(const std::vector<std::int64_t>& numbers) {
        nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
        if (!tuple.is_valid()) nb::raise_python_error();
        for (std::size_t k = 0; k < numbers.size(); ++k) put(tuple, k, nb::int_(numbers[k]));
        return tuple;
    }

    std::size_t bytes_, repeated_, size_;  // the first place of each kind, and how many there are
    std::size_t taken_ = 0;
    std::vector<std::uint8_t> place_;  // by field
};

}  // namespace

void bind_message_fields(nb::module_& m) {
    nb::class_<MessageFields>(m, "MessageFields",
                              "The fields of a protobuf message that are numbers or bytes, in order.")
        .def(nb::init<nb::bytes>(), nb::arg("raw"))
        .def(
            "__iter__", [](nb::handle self) { return self; }, nb::sig("def __iter__(self) -> MessageFields"))
        .def("__next__", &MessageFields::next, nb::sig("def __next__(self) -> tuple[int, int | bytes]"),
             "Returns the number of the next field, and its value: a signed number, or bytes. Raises WireError.");
    nb::class_<MessageValues>(m, "MessageValues", "Takes some fields of protobuf messages of one type.")
        .def(nb::init<const std::vector<std::uint32_t>&, const std::vector<std::uint32_t>&,
                      const std::vector<std::uint32_t>&>(),
             nb::arg("numbers"), nb::arg("bytes"), nb::arg("repeated"),
             nb::sig("def __init__(self, numbers: Sequence[int], bytes: Sequence[int], repeated: Sequence[int]) -> "
                     "None"),
             "The numbers of fields that are integers, bytes, and integers that are repeated, each once.")
        .def("read", &MessageValues::read, nb::arg("raw"), nb::sig("def read(self, raw: bytes) -> tuple[Any, ...]"),
             "Returns the values of the fields, in the order in which they were named: signed numbers, 0 of what is\n"
             "not there; bytes; and tuples of numbers. Raises WireError.");
}

}  // namespace tilescope
