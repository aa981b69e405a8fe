// Events whose strings hold quotes that should have been escaped, as writers leave them that put names into JSON by hand.
#pragma once

#include <cstddef>
#include <string>

namespace tilescope {

// A longer event is not repaired.
constexpr std::size_t kMostRepaired = std::size_t{1} << 20;

enum class RepairResult {
    repaired,
    undecided,  // that depends on what follows the text
    refused,  // it is damaged in another way, or not surely in this one
};

struct RepairedEvent {
    RepairResult result = RepairResult::refused;
    std::string text;  // the event with these quotes escaped, and a member that says so
    const char* after = nullptr;  // behind the event as it is written
};

// The event at `p`, where its opening brace stands, if all that is wrong with it are such quotes. A quote ends a string where the
// object goes on behind it: with a comma and the next key, or with its end. `is_all`: nothing follows the text. Takes time in
// proportion to the event.
RepairedEvent repair_quotes(const char* p, const char* end, bool is_all);

}  // namespace tilescope
