// Text of comma-separated values as columns of cells, block by block, however damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tables/cell_column.hpp"

namespace tilescope {

// Number of faults of a kind, and the place of the first: line and column count from 1.
struct CsvFault {
    std::uint64_t count = 0;
    std::uint64_t line = 0;
    std::uint64_t column = 0;
};

// The first record is the header. Cells lose the white space around them; quotes are those of Python's csv module. A
// quote that does not end within so many bytes is taken for a character. A record that is longer than the limit is cut.
class CsvStream {
  public:
    CsvStream(std::size_t most_columns, std::size_t most_cell_bytes)
        : most_columns_(most_columns), most_cell_(most_cell_bytes) {}

    // Takes the next bytes, and reads the records that end in them until there are so many rows, or bytes of them.
    // Returns whether there may be more: then take the rows, and feed nothing.
    bool feed(std::string_view block, std::size_t most_rows, std::size_t most_bytes);
    // The same of what is left, when there is nothing more.
    bool finish(std::size_t most_rows, std::size_t most_bytes);

    std::size_t rows() const { return rows_; }
    bool has_header() const { return has_header_; }
    const std::vector<std::string>& header() const { return header_; }
    std::vector<CellColumn>& columns() { return columns_; }
    void clear();  // the rows, once they were taken

    CsvFault short_rows;
    CsvFault long_rows;
    CsvFault open_quotes;
    CsvFault not_utf8;
    CsvFault cut_records;
    CsvFault left_out_rows;  // too short, behind many that are
    std::uint64_t more_columns = 0;  // of the header, beyond the most

  private:
    struct Cell {
        std::size_t first;  // in the text, or in what was unquoted
        std::size_t size;
        std::size_t position;  // in the text
        bool is_unquoted;
    };

    enum class End { cell, record, needs_more };

    bool read(std::size_t most_rows, std::size_t most_bytes, bool is_last);
    bool scan_record(bool is_last);
    void push(const Cell& cell);
    End scan_cell(bool is_last);
    End scan_plain(std::size_t begin, bool is_last);
    bool scan_quoted(std::size_t quote, bool is_last, End& end);
    End end_of_cell(bool is_last);
    std::uint64_t lines_of_record() const;
    std::string_view trimmed(const Cell& cell) const;
    void take_header();
    void take_row();
    void note(CsvFault& fault, std::size_t position) const;

    std::size_t most_columns_;
    std::size_t most_cell_;
    std::string text_;          // what is not read yet
    std::size_t first_ = 0;     // of the record that comes
    std::size_t position_ = 0;  // behind what was scanned of it
    std::uint64_t line_ = 1;    // on which it begins
    bool is_begun_ = false;     // a byte order mark was passed
    std::vector<Cell> cells_;   // of the record
    std::size_t cell_count_ = 0;  // of the record
    std::string unquoted_;      // its cells that had quotes
    std::vector<std::size_t> open_;  // its quotes that do not end
    bool has_header_ = false;
    std::vector<std::string> header_;
    std::vector<CellColumn> columns_;
    std::size_t rows_ = 0;
    std::size_t pending_bytes_ = 0;
    std::size_t absent_ = 0;
};

}  // namespace tilescope
