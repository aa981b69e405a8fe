#include "trace_event/repair.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "trace_event/json_scan.hpp"

namespace tilescope {

namespace {

constexpr std::size_t kMostDepth = 32;
constexpr std::size_t kLongestKey = 256;
constexpr std::string_view kRemark = R"(,"[repaired]":"quotes in a text of this event were not escaped"})";

class Repair {
  public:
    Repair(const char* p, const char* end) : p_(p), end_(end) {}

    bool run() {
        if (!object(0) || repaired_ == 0) return false;
        out_.pop_back();
        out_ += kRemark;
        return true;
    }

    // True if the end of the text was looked at.
    bool ran_out() const { return ran_out_; }
    const char* after() const { return p_; }
    std::string take_text() { return std::move(out_); }

  private:
    bool is_end(const char* p) {
        ran_out_ = ran_out_ || p == end_;
        return p == end_;
    }

    bool at(char c) { return !is_end(p_) && *p_ == c; }

    void copy_to(const char* to) {
        out_.append(p_, to);
        p_ = to;
    }

    const char* behind_separators(const char* p) {
        while (!is_end(p) && (is_space(*p) || *p == ',')) ++p;
        return p;
    }

    // `p_` stands at the opening bracket.
    bool object(std::size_t depth) {
        if (depth == kMostDepth) return false;
        copy_to(p_ + 1);
        for (;;) {
            copy_to(behind_separators(p_));
            if (at('}')) {
                copy_to(p_ + 1);
                return true;
            }
            const char* colon = behind_key(p_);
            if (colon == nullptr) return false;
            copy_to(colon);
            copy_to(skip_space(p_, end_));
            if (!value(depth, false)) return false;
            copy_to(skip_space(p_, end_));
            if (!at(',') && !at('}')) return false;
        }
    }

    bool array(std::size_t depth) {
        if (depth == kMostDepth) return false;
        copy_to(p_ + 1);
        for (;;) {
            copy_to(behind_separators(p_));
            if (at(']')) {
                copy_to(p_ + 1);
                return true;
            }
            if (!value(depth, true)) return false;
            copy_to(skip_space(p_, end_));
            if (!at(',') && !at(']')) return false;
        }
    }

    bool value(std::size_t depth, bool in_array) {
        if (at('"')) return string(in_array);
        if (at('{')) return object(depth + 1);
        if (at('[')) return array(depth + 1);
        const char* after = skip_token(p_, end_);
        if (is_end(after) || after == p_) return false;
        copy_to(after);
        return true;
    }

    // Behind the colon of the key at `p`; null where there is none. Keys are not repaired: what stands between two events would be
    // taken for one.
    const char* behind_key(const char* p) {
        if (is_end(p) || *p != '"') return nullptr;
        const char* stop = p + std::min(kLongestKey, static_cast<std::size_t>(end_ - p));
        const StringEnd key = find_string_end(p + 1, stop);
        if (key.quote == nullptr) {
            is_end(stop);
            return nullptr;
        }
        const std::string_view text = text_between(p + 1, key.quote);
        if (text.find_first_of("{}[]") != std::string_view::npos) return nullptr;
        const char* colon = skip_space(key.quote + 1, end_);
        return !is_end(colon) && *colon == ':' ? colon + 1 : nullptr;
    }

    // `p_` stands at the opening quote.
    bool string(bool in_array) {
        copy_to(p_ + 1);
        for (;;) {
            const StringEnd string_end = find_string_end(p_, end_);
            if (string_end.quote == nullptr) {
                is_end(end_);
                return false;
            }
            copy_to(string_end.quote);
            if (ends_string(skip_space(p_ + 1, end_), in_array)) {
                copy_to(p_ + 1);
                return true;
            }
            // What looks like a key is one: the string was never closed, and another member follows, maybe of another event.
            const char* next = skip_space(p_ + 1, end_);
            if (is_end(next) || *next == ':') return false;
            out_ += '\\';
            copy_to(p_ + 1);
            ++repaired_;
        }
    }

    // True if the object or array goes on at `next`, behind a quote.
    bool ends_string(const char* next, bool in_array) {
        if (is_end(next)) return false;
        if (in_array) return *next == ',' || *next == ']';
        if (*next == ',') {
            next = behind_separators(next);
            return !is_end(next) && (*next == '}' || behind_key(next) != nullptr);
        }
        if (*next != '}') return false;
        next = skip_space(next + 1, end_);
        return is_end(next) || std::strchr(",}]{", *next) != nullptr;
    }

    const char* p_;
    const char* end_;
    std::string out_;
    std::size_t repaired_ = 0;
    bool ran_out_ = false;
};

}  // namespace

RepairedEvent repair_quotes(const char* p, const char* end, bool is_all) {
    const auto size = static_cast<std::size_t>(end - p);
    Repair repair(p, p + std::min(kMostRepaired, size));
    const bool is_repaired = repair.run();
    if (repair.ran_out() && !(is_all && size <= kMostRepaired)) {
        return {size < kMostRepaired ? RepairResult::undecided : RepairResult::refused, {}, nullptr};
    }
    if (!is_repaired) return {};
    return {RepairResult::repaired, repair.take_text(), repair.after()};
}

}  // namespace tilescope
