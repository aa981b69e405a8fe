#include "xspace/shared_texts.hpp"

#include <stdexcept>

#include "xspace/text_stat.hpp"

namespace tilescope::xspace {

void SharedTexts::add(std::int64_t entry, Bytes message, SharedStats& stats) {
    const std::size_t before = stats.entry.size();
    try {
        for (std::size_t offset = 0; offset < message.size();) {
            const TextStat stat = text_stat(next_stat(message, offset).content);
            if (stat.value == TextStat::Value::none) continue;
            if (stat.value == TextStat::Value::strange) throw std::invalid_argument("a strange value");
            const bool is_text = stat.value == TextStat::Value::text;
            stats.entry.push_back(entry);
            stats.id.push_back(stat.id);
            stats.text.push_back(is_text ? texts_.intern(text_of(stat.text)) : -1);
            stats.reference.push_back(stat.reference);
        }
    } catch (const std::invalid_argument&) {
        for (std::vector<std::int64_t>* column : {&stats.entry, &stats.id, &stats.text, &stats.reference})
            column->resize(before);
        stats.strange.push_back(entry);
    }
}

}  // namespace tilescope::xspace
