// Reads a trace-event file in parts by several threads, which pack arguments together, and as a whole by one: both give the
// same rows. Without Python, so that ThreadSanitizer sees every access. Arguments: the file, bytes of a block, threads.
//
// Prints how many rows there are and how many parts were taken; ends with 1 where the two differ.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "trace_event/part.hpp"
#include "trace_event/stream.hpp"

namespace {

using tilescope::EventColumns;
using tilescope::PackedTexts;
using tilescope::TraceEventPart;
using tilescope::TraceEventStream;

// A line for each row, with its arguments unpacked; then names, counts and what was ignored.
std::vector<std::string> lines_of(TraceEventStream& stream, const PackedTexts& texts) {
    std::vector<std::string> lines;
    while (stream.sink().row_count() > 0) {
        EventColumns rows = stream.sink().take_chunk();
        std::int64_t begin = 0;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const std::int64_t end = rows.args_end.data()[row];
            std::string line;
            texts.unpack({reinterpret_cast<const std::uint8_t*>(rows.args.data()) + begin,
                          static_cast<std::size_t>(end - begin)},
                         line);
            begin = end;
            for (const std::int64_t value :
                 {std::int64_t{rows.track.data()[row]}, std::int64_t{rows.phase.data()[row]}, rows.time_ns.data()[row],
                  std::int64_t{rows.time_ps.data()[row]}, rows.duration_ns.data()[row],
                  std::int64_t{rows.name.data()[row]}, rows.key.data()[row], std::int64_t{rows.flags.data()[row]}}) {
                line += ' ' + std::to_string(value);
            }
            lines.push_back(std::move(line));
        }
    }
    lines.push_back("events " + std::to_string(stream.sink().written_total()));
    lines.push_back("names " + std::to_string(stream.sink().names().size()));
    lines.push_back("tracks " + std::to_string(stream.sink().tracks().tracks().size()));
    for (const auto& [reason, count] : stream.sink().ignored()) lines.push_back(reason + ' ' + std::to_string(count));
    return lines;
}

std::vector<std::string> read_whole(std::string_view text) {
    PackedTexts texts;
    TraceEventStream stream(0);
    stream.pack_arguments(texts);
    stream.feed(text);
    stream.finish();
    return lines_of(stream, texts);
}

std::vector<std::string> read_in_parts(std::string_view text, std::size_t block_bytes, std::size_t threads,
                                       std::uint64_t& taken) {
    PackedTexts texts;
    TraceEventStream stream(0);
    stream.pack_arguments(texts);
    std::vector<std::string_view> blocks;
    for (std::size_t begin = 0; begin < text.size(); begin += block_bytes)
        blocks.push_back(text.substr(begin, block_bytes));
    std::vector<std::unique_ptr<TraceEventPart>> parts(blocks.size());
    std::vector<std::atomic<bool>> is_read(blocks.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t k = next++; k < blocks.size(); k = next++) {
            parts[k] = std::make_unique<TraceEventPart>(blocks[k], &texts);
            is_read[k].store(true, std::memory_order_release);
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t k = 0; k < threads; ++k) workers.emplace_back(work);
    for (std::size_t k = 0; k < blocks.size(); ++k) {  // while the workers read on
        while (!is_read[k].load(std::memory_order_acquire)) std::this_thread::yield();
        stream.feed(blocks[k], *parts[k]);
        parts[k].reset();
    }
    for (std::thread& worker : workers) worker.join();
    stream.finish();
    taken = stream.parts_taken();
    return lines_of(stream, texts);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::uint64_t taken = 0;
    const auto expected = read_whole(text);
    const auto lines = read_in_parts(text, std::stoul(argv[2]), std::stoul(argv[3]), taken);
    std::printf("%zu lines, %llu parts\n", lines.size(), static_cast<unsigned long long>(taken));
    if (lines == expected) return 0;
    const auto differ = std::mismatch(lines.begin(), lines.end(), expected.begin(), expected.end());
    std::printf("differ at line %td\n", differ.first - lines.begin());
    return 1;
}
