// Conversion of activity to tuples for Python.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "columns/activity.hpp"

namespace tilescope {

// (shift, first bin, busy time of each bin): bin k of the column covers [(first + k) << shift, (first + k + 1) << shift).
inline std::tuple<int, std::int64_t, OutColumn<std::int64_t>> activity_columns(const Activity& recorded) {
    const Activity activity = recorded.binned();
    std::vector<std::int64_t> busy;
    if (!activity.empty())
        for (std::int64_t bin = activity.first(); bin <= activity.last(); ++bin) busy.push_back(activity.busy(bin));
    return {activity.shift(), activity.first(), to_numpy(std::move(busy))};
}

}  // namespace tilescope
