#include "trace_event/json_skip.hpp"

#include <array>
#include <vector>

#include "trace_event/json_scan.hpp"

namespace tilescope {

namespace {

constexpr std::string_view cut_text = "\"[nested deeper than 256]\"";
static_assert(max_depth == 256, "cut_text names it");

// The open brackets, and which of them are objects: up to `max_depth` of them, without a look at the heap.
class Brackets {  // NOLINT(cppcoreguidelines-pro-type-member-init): bits are written before they are read
  public:
    bool push(bool object) {
        if (depth_ == max_depth) return false;
        const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
        if (object) {
            words_[depth_ / 64] |= bit;
        } else {
            words_[depth_ / 64] &= ~bit;
        }
        ++depth_;
        return true;
    }

    void pop() { --depth_; }
    bool empty() const { return depth_ == 0; }
    bool in_object() const { return ((words_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64)) & 1) != 0; }

  private:
    std::array<std::uint64_t, max_depth / 64> words_;
    std::size_t depth_ = 0;
};

// The same for any number of them.
class ManyBrackets {
  public:
    bool push(bool object) {
        objects_.push_back(object);
        return true;
    }

    void pop() { objects_.pop_back(); }
    bool empty() const { return objects_.empty(); }
    bool in_object() const { return objects_.back(); }

  private:
    std::vector<bool> objects_;
};

ScanEnd wrong(const char* p, const char* end) { return {is_foreign(p, end) ? Scan::foreign : Scan::damaged, p}; }

template <typename Open>
ScanEnd skip_value_within(Open brackets, const char* p, const char* end) {
    for (;;) {
        // Here a value begins.
        p = skip_space(p, end);
        if (p == end) return {Scan::incomplete, p};
        bool opened = false;
        if (*p == '"') {
            const StringEnd string = find_string_end(p + 1, end);
            if (string.quote == nullptr) return {Scan::incomplete, end};
            p = string.quote + 1;
        } else if (*p == '{' || *p == '[') {
            if (!brackets.push(*p == '{')) return {Scan::too_deep, p};
            ++p;
            opened = true;
        } else if (is_token(*p)) {
            p = skip_token(p, end);
            if (p == end) return {Scan::incomplete, p};
        } else {
            return wrong(p, end);
        }
        // Behind a value or an opening bracket: on to where the next value begins.
        for (;;) {
            if (brackets.empty()) return {Scan::ok, p};
            p = skip_space(p, end);
            if (p == end) return {Scan::incomplete, p};
            const bool object = brackets.in_object();
            bool comma = opened;
            while (*p == ',') {
                comma = true;
                p = skip_space(p + 1, end);
                if (p == end) return {Scan::incomplete, p};
            }
            if (*p == (object ? '}' : ']')) {
                brackets.pop();
                ++p;
                opened = false;
                continue;
            }
            if (!comma) return {Scan::damaged, p};
            if (!object) break;
            if (*p != '"') return wrong(p, end);
            const StringEnd key = find_string_end(p + 1, end);
            if (key.quote == nullptr) return {Scan::incomplete, end};
            p = skip_space(key.quote + 1, end);
            if (p == end) return {Scan::incomplete, p};
            if (*p != ':') return {Scan::damaged, p};
            ++p;
            break;
        }
    }
}

}  // namespace

bool is_foreign(const char* p, const char* end) { return p != end && (*p == '\'' || *p == '/'); }

ScanEnd skip_value(const char* p, const char* end) { return skip_value_within(Brackets(), p, end); }

ScanEnd skip_deep_value(const char* p, const char* end) { return skip_value_within(ManyBrackets(), p, end); }

std::string cut_nested(std::string_view text) {
    std::string out;
    const char* kept = text.data();  // up to here it is in `out`
    const char* end = text.data() + text.size();
    std::size_t depth = 0;
    for (const char* p = kept; p != end;) {
        if (*p == '"') {
            p = find_string_end(p + 1, end).quote;
            if (p == nullptr) break;
        } else if (*p == '{' || *p == '[') {
            if (++depth == max_depth + 1) {
                out.append(kept, p);
                out += cut_text;
            }
        } else if ((*p == '}' || *p == ']') && depth-- == max_depth + 1) {
            kept = p + 1;
        }
        ++p;
    }
    return out.append(kept, end);
}

const char* ValueSkipper::feed_string(const char* p, const char* end) {
    if (after_backslash_) {
        after_backslash_ = false;
        ++p;
    }
    while (p != end && *p != '"') {
        if (*p == '\\') {
            if (end - p < 2) {
                after_backslash_ = true;
                return end;
            }
            ++p;
        }
        ++p;
    }
    if (p == end) return end;
    in_string_ = false;
    return p + 1;
}

const char* ValueSkipper::feed(const char* p, const char* end) {
    while (p != end && !done_) {
        if (in_string_) {
            p = feed_string(p, end);
            done_ = !in_string_ && depth_ == 0;
        } else if (in_token_) {
            p = skip_token(p, end);
            in_token_ = p == end;
            done_ = !in_token_ && depth_ == 0;
        } else if (*p == '"') {
            in_string_ = true;
            ++p;
        } else if (*p == '{' || *p == '[') {
            if (*p == '{' && depth_ == 1) ++objects_;
            ++depth_;
            ++p;
        } else if (*p == '}' || *p == ']') {
            if (depth_ == 0) {  // there was no value
                done_ = true;
                break;
            }
            --depth_;
            ++p;
            done_ = depth_ == 0;
        } else if (is_token(*p)) {
            in_token_ = true;
        } else {
            if (*p == ',' && depth_ == 0) {
                done_ = true;
                break;
            }
            ++p;
        }
    }
    return p;
}

}  // namespace tilescope
