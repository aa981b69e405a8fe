"""`make hostile`: runs every case in processes of its own with limits, two at a time, and prints what became of them.

`--only TEXT` runs the cases whose name contains it. Exit code 1 when an outcome is not an accepted one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.case import Case
from tests.hostile.catalogue import all_cases
from tests.hostile.judging import complaints
from tests.hostile.running import Outcome, run_apart

AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case."""

    case: Case
    outcome: Outcome | None
    wrong: list[str]

    @property
    def kind(self) -> str:
        """The column of the table that it counts in."""
        if self.wrong:
            return "wrong"
        return "indexed" if self.outcome is not None and self.outcome.index.code == 0 else "refused"


def attempt(case: Case) -> Result:
    """Runs one case in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        try:
            outcome = run_apart(case, Path(folder))
        except Exception as error:
            return Result(case, None, [f"the case itself failed: {error!r}"])
        return Result(case, outcome, complaints(case, outcome))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    cases = [case for case in all_cases() if args.only in case.id]
    begin = time.monotonic()
    results = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for result in pool.map(attempt, cases):
            results.append(result)
            for complaint in result.wrong:
                print(f"{result.case.id}: {complaint}", flush=True)
    _print_table(results)
    wrong = sum(bool(result.wrong) for result in results)
    print(
        f"{len(results)} cases in {time.monotonic() - begin:.0f} s: "
        + (f"{wrong} not as accepted" if wrong else "all as accepted")
    )
    return 1 if wrong else 0


def _print_table(results: list[Result]) -> None:
    print(f"\n{'family':<18}{'cases':>7}{'indexed':>9}{'refused':>9}{'wrong':>7}{'most CPU':>11}{'most memory':>13}")
    for family in dict.fromkeys(result.case.family for result in results):
        mine = [result for result in results if result.case.family == family]
        kinds = Counter(result.kind for result in mine)
        ended = [end for r in mine if r.outcome is not None for end in (r.outcome.index, *r.outcome.after.values())]
        cpu = max((end.cpu_seconds for end in ended), default=0.0)
        peak = max((end.peak_bytes for end in ended), default=0)
        print(
            f"{family:<18}{len(mine):>7}{kinds['indexed']:>9}{kinds['refused']:>9}{kinds['wrong']:>7}"
            f"{cpu:>9.1f} s{peak / 1e6:>10,.0f} MB"
        )


if __name__ == "__main__":
    sys.exit(main())
