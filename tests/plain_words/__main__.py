"""Counts the words of `words.py` and lists where they stand; `--record` lowers the record."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.plain_words import baseline
from tests.plain_words.findings import PACKAGES, Finding, count, package_findings


def main() -> int:
    """Exit status: 1 if the record would have to be raised."""
    parser = argparse.ArgumentParser(prog="python -m tests.plain_words", description=__doc__)
    parser.add_argument(
        "packages", nargs="*", help="packages whose places are listed; without one, sums of all are printed"
    )
    parser.add_argument(
        "--record", action="store_true", help="write the counts of today, if none is higher than recorded"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.packages).difference(PACKAGES):
        parser.error(f"there is no package {', '.join(sorted(unknown))}: name some of {', '.join(PACKAGES)}")
    if arguments.record and arguments.packages:
        parser.error("all packages are recorded together: leave out their names")
    findings = [finding for package in arguments.packages or PACKAGES for finding in package_findings(package)]
    if arguments.record:
        return _record(findings)
    if arguments.packages:
        for finding in findings:
            print(f"{finding.path}:{finding.line}: {finding.key.kind} {finding.key.word}")
    else:
        sums = Counter(finding.key[:3] for finding in findings)
        for (kind, language, package), number in sorted(sums.items()):
            print(f"{number:6} {kind} {language} {package}")
    return 0


def _record(findings: list[Finding]) -> int:
    recorded = baseline.read() if baseline.FILE.exists() else Counter()
    too_many = baseline.record(count(findings))
    changed = baseline.changed_lines() if too_many else None
    for key in too_many:
        print(baseline.explain_rise(key, findings, recorded[key], changed), file=sys.stderr)
    if too_many:
        print("Nothing is recorded: the record may only fall.", file=sys.stderr)
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
