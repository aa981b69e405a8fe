"""Makes the vectors in `resolver/`: random shape records, and the answers of a plain reference of docs/resolver.md.

Run it from anywhere after a change of that page: `python tests/vectors/make_resolver.py`. The output is deterministic.
"""

import json
import math
import random
from pathlib import Path
from typing import Any

Rows = list[list[int]]
Tracks = list[tuple[int, str] | tuple[int, str, list[int]]]

OUTPUT = Path(__file__).parent / "resolver"
LEAF, TERMINAL, FIRST_OF_PAGE = 1, 2, 4
MAX_PART_PAGES = 256
FINE_LEVELS, ENOUGH_LEVELS = 1, 2
KINDS = ["slice", "counter", "rollup", "instant", "async"]


def sharp_level(ticks_per_px: float, root_level: int) -> int:
    level = 0
    while level < root_level and 4 ** (level + 1) <= 2 * ticks_per_px:
        level += 1
    return level


def tiles_for(
    rows: Rows, slot: int, kind: str, span: tuple[int, int], level: int, root_level: int
) -> list[tuple[int, int]]:
    flags = {(z, index): flag for z, index, tile_slot, flag, _ in rows if tile_slot == slot}
    first, last = max(0, span[0]), max(0, span[1] - 1)
    found = []
    for z in range(root_level, level - 1, -1):
        ticks = 256 * 4**z
        for _, index in sorted(key for key in flags if key[0] == z and first // ticks <= key[1] <= last // ticks):
            wanted = z == level or bool(flags[z, index] & (LEAF | TERMINAL))
            if kind == "counter" and not wanted:
                child = ticks // 4
                overlapping = range(max(4 * index, first // child), min(4 * index + 3, last // child) + 1)
                wanted = any((z - 1, other) not in flags for other in overlapping)
            if wanted:
                found.append((z, index))
    return found


def page_of(rows: Rows, tile: tuple[int, int], slot: int) -> tuple[int, int, int]:
    start = rows[0]
    for row in rows:
        if row[3] & FIRST_OF_PAGE:
            start = row
        if (row[0], row[1]) == tile and row[2] == slot:
            return start[0], start[1], start[2]
    raise KeyError(tile)


def terminals_above(rows: Rows, slot: int, span: tuple[int, int], level: int, root_level: int) -> list[tuple[int, int]]:
    tiles = tiles_for(rows, slot, "rollup", span, level + 1, root_level)
    flags = {(z, index): flag for z, index, tile_slot, flag, _ in rows if tile_slot == slot}
    return [tile for tile in tiles if flags[tile] & TERMINAL]


def parts_of(
    blocks: dict[str, Rows], children: list[int], terminal: tuple[int, int], span: tuple[int, int], sharp: int
) -> list[tuple[int, ...]]:
    level, index = terminal
    start, end = index * 256 * 4**level, (index + 1) * 256 * 4**level
    ticks = 256 * 4**sharp
    composed = max(0, span[0]) // ticks * ticks, (max(0, span[1] - 1) // ticks + 1) * ticks
    pages: list[tuple[int, ...]] = []
    wanted: list[tuple[int, ...]] = []
    for child in children:
        rows = blocks.get(str(child // 32))
        if rows is None:
            return []
        leaves = [(z, i) for z, i, slot, flag, _ in rows if slot == child % 32 and flag & LEAF]
        overlapping = [(z, i) for z, i in leaves if i * 256 * 4**z < end and (i + 1) * 256 * 4**z > start]
        for z, i in sorted(overlapping, key=lambda tile: tile[1] * 4 ** tile[0]):
            page = (child // 32, *page_of(rows, (z, i), child % 32))
            pages.append(page)
            if i * 256 * 4**z < composed[1] and (i + 1) * 256 * 4**z > composed[0]:
                wanted.append(page)
    return [] if len(set(pages)) > MAX_PART_PAGES else wanted


def resolve(vector: dict[str, Any]) -> list[list[Any]]:
    view, root = vector["view"], vector["root_level"]
    scale, width = view["ticks_per_px"], view["width_px"]
    start = int(view["start_ticks"])
    visible = (start, start + math.ceil(view["start_fraction"] + width * scale))
    margin_px = width / 2 if vector["margin_px"] is None else vector["margin_px"]
    margin = math.ceil(margin_px * scale)
    wide = (visible[0] - margin, visible[1] + margin)
    sharp = sharp_level(scale, root)
    coarse = min(root, sharp + 2)
    tracks, nearby = vector["tracks"], vector["nearby"]
    passes = [
        ("coarse", "tiles", tracks, coarse, visible),
        ("sharp", "tiles", tracks, sharp, visible),
        ("sharp", "parts", tracks, sharp + ENOUGH_LEVELS, visible),
        ("margin", "parts", tracks, sharp + FINE_LEVELS, visible),
        ("margin", "tiles", tracks, sharp, wide),
        ("margin", "parts", tracks, sharp + FINE_LEVELS, wide),
        ("margin", "tiles", nearby, coarse, visible),
        ("margin", "tiles", nearby, sharp, visible),
        ("root", "tiles", tracks, root, visible),
    ]
    pages: dict[tuple[int, ...], str] = {}
    for tier, what, requests, level, span in passes:
        for track, kind, *children in requests:
            rows = vector["blocks"].get(str(track // 32), [])
            if what == "parts":
                for terminal in terminals_above(rows, track % 32, span, level, root) if children else []:
                    for page in parts_of(vector["blocks"], children[0], terminal, span, sharp):
                        pages.setdefault(page, tier)
                continue
            for tile in tiles_for(rows, track % 32, kind, span, level, root):
                pages.setdefault((track // 32, *page_of(rows, tile, track % 32)), tier)
    return [[tier, *key] for key, tier in pages.items()]


def random_shape(rng: random.Random, root_level: int, slots: list[int], tiles_per_page: int, holes: float) -> Rows:
    rows: Rows = []

    def build(slot: int, level: int, index: int) -> None:
        leaf = level == 0 or (level < root_level and rng.random() < 0.15)
        rows.append([level, index, slot, LEAF if leaf else 0, rng.randrange(1, 2000)])
        if not leaf:
            for child in [4 * index + k for k in range(4) if rng.random() >= holes] or [4 * index]:
                build(slot, level - 1, child)

    for slot in slots:
        build(slot, root_level, 0)
    return paged(rows, tiles_per_page)


def paged(rows: Rows, tiles_per_page: int) -> Rows:
    """The rows in order, with the first tile of each page marked."""
    rows = sorted(([*row[:3], row[3] & ~FIRST_OF_PAGE, *row[4:]] for row in rows), key=lambda row: row[:3])
    in_page = 0
    for position, row in enumerate(rows):
        if position == 0 or row[0] != rows[position - 1][0] or in_page == tiles_per_page:
            row[3] |= FIRST_OF_PAGE
            in_page = 0
        in_page += 1
    return rows


def with_rollup(rows: Rows, rollup: int, children: list[int], terminal_level: int, tiles_per_page: int) -> Rows:
    """Adds a rollup that ends at a level, or above it where all of its children have leaves."""
    root_level = max(row[0] for row in rows)
    added: Rows = []
    leaves = [(row[0], row[1]) for row in rows if row[2] in children and row[3] & LEAF]

    def build(level: int, index: int) -> None:
        ends = level == terminal_level or index % 3 == 2
        added.append([level, index, rollup, TERMINAL if ends else 0, 50])
        for child in [] if ends else range(4 * index, 4 * index + 4):
            start, end = child * 4 ** (level - 1), (child + 1) * 4 ** (level - 1)
            if any(i * 4**z < end and (i + 1) * 4**z > start for z, i in leaves):
                build(level - 1, child)

    build(root_level, 0)
    return paged(rows + added, tiles_per_page)


def make(
    name: str, root_level: int, blocks: dict[str, Rows], view: tuple[int, float, float, int], **more: Any
) -> dict[str, Any]:
    start, fraction, scale, width = view
    vector: dict[str, Any] = {
        "name": name,
        "root_level": root_level,
        "blocks": blocks,
        "view": {"start_ticks": str(start), "start_fraction": fraction, "ticks_per_px": scale, "width_px": width},
        "tracks": [],
        "nearby": [],
        "margin_px": None,
        **more,
    }
    return {**vector, "pages": resolve(vector)}


def slices(*tracks: int) -> Tracks:
    return [(track, "slice") for track in tracks]


def vectors() -> dict[str, dict[str, Any]]:
    rng = random.Random(7)
    base = {"0": random_shape(rng, 3, [0, 1, 2], 5, 0.2)}
    two = {"0": random_shape(rng, 3, [30, 31], 3, 0.3), "1": random_shape(rng, 3, [0, 1], 4, 0.3)}
    gaps = {"0": random_shape(rng, 3, [0, 1], 4, 0.6)}
    huge = {"0": [[23, 13, 0, 5, 2000], [24, 2, 0, 5, 7000], [24, 3, 0, 0, 2000], [25, 0, 0, 4, 9000]]}
    far = 3 * 256 * 4**24 + 256 * 4**23 + 1
    out = {
        "whole_run": make("the whole run on one screen", 3, base, (0, 0.0, 40.96, 400), tracks=slices(0, 1, 2)),
        "deep_zoom": make(
            "ticks wider than a pixel", 3, base, (5000, 0.75, 0.02, 800), tracks=slices(0, 1, 2), nearby=slices(3)
        ),
        "level_border": make(
            "bins of exactly two pixels", 3, base, (2048, 0.0, 2.0, 512), tracks=slices(2, 0), margin_px=0
        ),
        "fraction": make(
            "a fraction of a tick brings one more tile", 3, base, (768, 0.5, 1.0, 256), tracks=slices(0, 1), margin_px=0
        ),
        "before_origin": make(
            "from before the run to behind it", 3, base, (-3000, 0.25, 30.0, 900), tracks=slices(1), nearby=slices(0, 2)
        ),
        "two_blocks": make(
            "two blocks, an unknown one, and a track without tiles",
            3,
            two,
            (4096, 0.0, 3.0, 600),
            tracks=slices(30, 31, 32, 33, 40, 64),
            nearby=slices(29),
        ),
        "counter_gaps": make(
            "a counter keeps its value between its tiles",
            3,
            gaps,
            (0, 0.0, 0.4, 40000),
            tracks=[(0, "counter"), (1, "slice")],
            margin_px=100,
        ),
        "beyond_doubles": make(
            "times that no double holds", 25, huge, (far, 0.0, float(4**22), 1600), tracks=slices(0)
        ),
    }
    rolled = {"0": with_rollup(base["0"], 9, [0, 1, 2], 2, 4)}
    tall = {"0": with_rollup(random_shape(random.Random(3), 4, [0, 1, 2], 5, 0.2), 9, [0, 1, 2], 2, 4)}
    apart = {"0": two["0"], "1": with_rollup(two["1"], 5, [0, 1], 2, 3)}
    rollup: tuple[int, str, list[int]] = (9, "rollup", [0, 1, 2])
    out |= {
        "rollup_parts": make(
            "a rollup closer than its own tiles", 3, rolled, (9000, 0.5, 1.5, 700), tracks=[rollup, (1, "slice")]
        ),
        "rollup_fine_enough": make(
            "a rollup one level above the sharp one", 3, rolled, (9000, 0.5, 2.5, 700), tracks=[rollup]
        ),
        "rollup_coarse": make(
            "a rollup whose own tiles are fine enough", 3, rolled, (0, 0.0, 20.0, 700), tracks=[rollup], nearby=[rollup]
        ),
        "rollup_far_above": make(
            "a rollup two and three levels above the sharp one", 4, tall, (28000, 0.5, 1.5, 7000), tracks=[rollup]
        ),
        "rollup_without_children": make(
            "a rollup whose children are not told", 3, rolled, (9000, 0.5, 0.2, 700), tracks=[(9, "rollup")]
        ),
        "rollup_two_blocks": make(
            "a rollup and its children in two blocks",
            3,
            apart,
            (4096, 0.0, 0.6, 900),
            tracks=[(37, "rollup", [30, 31, 32, 33])],
            margin_px=100,
        ),
        "rollup_missing_shape": make(
            "a rollup of which one child's shape record is missing",
            3,
            apart,
            (4096, 0.0, 0.6, 900),
            tracks=[(37, "rollup", [30, 31, 32, 64])],
        ),
    }
    for k in range(4):
        blocks = {"0": random_shape(rng, 4, list(range(6)), rng.randrange(2, 6), 0.3)}
        view = (
            rng.randrange(50_000),
            rng.randrange(8) / 8,
            rng.choice([0.7, 2.7, 5.0, 21.3]),
            rng.randrange(300, 1900),
        )
        tracks = [(track, rng.choice(KINDS)) for track in range(4)]
        out[f"random_{k}"] = make(f"random tree {k}", 4, blocks, view, tracks=tracks, nearby=slices(4, 5))
    return out


def wrapped(rows: list[Any], indent: str) -> str:
    parts = [json.dumps(row) for row in rows]
    lines = [", ".join(parts[k : k + 5]) for k in range(0, len(parts), 5)]
    return "[\n" + ",\n".join(indent + line for line in lines) + "\n" + indent[:-1] + "]"


def text(vector: dict[str, Any]) -> str:
    blocks = ",\n".join(f'  "{block}": {wrapped(rows, "   ")}' for block, rows in vector["blocks"].items())
    fields = {key: json.dumps(vector[key]) for key in ("name", "root_level", "view", "tracks", "nearby", "margin_px")}
    fields["blocks"] = "{\n" + blocks + "\n }"
    fields["pages"] = wrapped(vector["pages"], "  ")
    return "{\n" + ",\n".join(f' "{key}": {fields[key]}' for key in vector) + "\n}\n"


def main() -> None:
    OUTPUT.mkdir(exist_ok=True)
    for name, vector in vectors().items():
        (OUTPUT / f"{name}.json").write_text(text(vector))


if __name__ == "__main__":
    main()
