"""Steps that some devices lack, as those of hosts that began to record later do: in words, host by host."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from tilescope.tiler.tools.answer import Note

_NAMED: Final = 3  # names and numbers in a note


def lacking_notes(lacking: Sequence[Sequence[int]], names: Sequence[str], hosts: Sequence[str]) -> list[Note]:
    """A note on the steps that some devices lack: by host where all devices of it do.

    `lacking`: for each device, the numbers of steps that others have; `names` and `hosts` are theirs.
    """
    by_steps: dict[tuple[int, ...], list[int]] = {}
    for place, numbers in enumerate(lacking):
        if numbers:
            by_steps.setdefault(tuple(numbers), []).append(place)
    if not by_steps:
        return []
    texts = []
    for numbers, places in islice(by_steps.items(), _NAMED):
        lacking_hosts, devices = dict.fromkeys(hosts[place] for place in places), set(places)
        are_whole = all(place in devices for place, host in enumerate(hosts) if host in lacking_hosts)
        whose = list(lacking_hosts) if are_whole and len(set(hosts)) > 1 else [names[place] for place in places]
        verb = "lacks" if len(whose) == 1 else "lack"
        texts.append(f"{first_names(whose)} {verb} {steps_text(numbers)}")
    more = sum(len(places) for places in islice(by_steps.values(), _NAMED, None))
    if more:
        texts.append(f"{more:,} more {'lacks' if more == 1 else 'lack'} other steps")
    return [Note("info", "; ".join(texts))]


def steps_text(numbers: Sequence[int]) -> str:
    """Steps in words: "step 5", "steps 5 to 9", "steps 5, 7, 9 and 3 more"."""
    if len(numbers) == 1:
        return f"step {numbers[0]}"
    numbers = sorted(numbers)
    if list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"steps {numbers[0]} to {numbers[-1]}"
    return f"steps {first_names([str(number) for number in numbers])}"


def first_names(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
