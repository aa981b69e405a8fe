"""Names by id, and ids by what a name contains."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.caches import Memo, OwnerCache
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.query.interruptible import Interruptible
from tilescope.tiler.query.kept_pages import KeptBytes
from tilescope.tiler.records.histogram import OTHER_NAMES
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.schema import NameCounts
from tilescope.tiler.store.store import Store, need

Ints = NDArray[np.int64]

# Pages of 1,024 names that are kept decoded. Bytes of an entry are those of a page of kernels of GPUs, by tracemalloc.
_KEPT_PAGES = 64
_PAGES = Memo("names", "Pages of names, decoded", 81_000)
_PIECES = Memo("packed_names", "Pages of names, divided", 61_000)

_BETWEEN = b"\xff"  # in no UTF-8


class Name(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Name and category of events."""

    # Without `gc`: tens of thousands of tuples had Python look for garbage, which took nine tenths of their time.
    text: str
    category: str


# Five times as fast as `json`; a text that no UTF-8 has is left to that.
_DECODER = msgspec.json.Decoder(list[Name])

# Of a page of which few names are wanted these alone are decoded: a quarter of the time.
_ONE = msgspec.json.Decoder(Name)
_FIRST, _NEXT, _LAST = b'[["', b'"],["', b'"]]'  # in no text: there each quote follows a backslash
_MANY = 128

# Texts that JSON has as they are, and how many of them are looked for before pages are decoded.
_PLAIN = re.compile(r"[A-Za-z0-9_.\-]+")
_FEW = 8

NO_NAME = Name("[no name]", "")
OTHERS = Name("[other names]", "")


class NameSet:
    """Some names, for finding them among many events."""

    def __init__(self, names: Sequence[int], count: int) -> None:
        self._names = names
        # By name id; -2 and -1, the names of those that have none, are the last two.
        self._is_in = np.zeros(count + 2, np.bool_)
        self._is_in[np.array(names, np.int64)] = True

    def __len__(self) -> int:
        return len(self._names)

    def has(self, names: Ints) -> NDArray[np.bool_]:
        """Mask: true for name ids that are in the set."""
        return self._is_in[names]


@dataclass(frozen=True, slots=True)
class FoldedNames:
    """All names of a store in one piece, upper and lower case alike, as `str.casefold` has them."""

    joined: bytes  # UTF-8, each followed by a byte that is in no text
    ends: Ints  # where each of them ends
    category: Ints  # of each of them: the number of its category
    categories: Sequence[str]  # each once

    def containing(self, text: str) -> Ints:
        """The names that contain a text, by id, ascending."""
        wanted = text.casefold().encode("utf-8", "replace")
        return _native.texts_with(self.joined, self.ends, wanted) if wanted else np.arange(len(self.ends))


class Names:
    """The names of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        counts = msgspec.convert(store.manifest()["names"], NameCounts)
        self._count, self._page_size = counts.count, counts.page_size
        self._kept = _PAGES.remembered(self._decode, _KEPT_PAGES)
        self._packed = KeptBytes(self._inflate)  # looked through for one text after the other
        self._split = _PIECES.remembered(self._pieces, _KEPT_PAGES)

    def __getitem__(self, name: int) -> Name:
        """The name of that id. Raises DamagedStore."""
        if name < 0:
            return OTHERS if name == OTHER_NAMES else NO_NAME
        page = self._kept(name // self._page_size)
        if name % self._page_size >= len(page):
            raise DamagedStore(f"there is no name {name}")
        return page[name % self._page_size]

    def by_id(self, ids: Iterable[int]) -> dict[int, Name]:
        """The names of these ids, each once."""
        return {name: self[name] for name in sorted(set(ids))}

    of = by_id  # as in version 0.2: tools of other packages call it

    def texts(self, ids: Ints) -> list[str]:
        """The texts of names that there are: quick where those of a page follow each other. Raises DamagedStore."""
        texts: list[str] = []
        numbers = ids // self._page_size
        for page_ids in np.split(ids, np.flatnonzero(np.diff(numbers)) + 1) if len(ids) else []:
            number, places = int(page_ids[0]) // self._page_size, (page_ids % self._page_size).tolist()
            few = self._few(number, places) if len(places) < _MANY else None
            if few is not None:
                texts += few
                continue
            page = self._kept(number)
            if max(places) >= len(page):
                raise DamagedStore(f"there is no name {page_ids.max()}")
            texts += [page[place].text for place in places]
        return texts

    def numbers_of(self, texts: Sequence[str], among: Ints) -> dict[str, int]:
        """Id of the name, among some, with each of these texts: the greatest of several. Raises DamagedStore.

        Where a few plain texts are looked for, only pages that have one are decoded.
        """
        wanted = frozenset(texts)
        ids_by_text: dict[str, int] = {}
        if int(among.max(initial=-1)) >= self._count:
            raise DamagedStore(f"there is no name {among.max()}")
        are_met = np.zeros(self._count, np.bool_)  # a tenth of the time of `numpy.unique`
        are_met[among] = True
        ids = np.flatnonzero(are_met)
        numbers = ids // self._page_size
        for page_ids in np.split(ids, np.flatnonzero(np.diff(numbers)) + 1) if len(ids) else []:
            if not self._may_have(wanted, int(page_ids[0]) // self._page_size, whole=True):
                continue
            names = zip(self.texts(page_ids), page_ids.tolist(), strict=True)
            ids_by_text.update((text, name) for text, name in names if text in wanted)
        return ids_by_text

    def matching(self, is_match: Callable[[str], bool]) -> Interruptible[NameSet]:
        """All names whose text matches, in steps of a page."""
        matches: list[int] = []
        for page in range(-(-self._count // self._page_size)):
            first = page * self._page_size
            matches += [first + k for k, name in enumerate(self._kept(page)) if is_match(name.text)]
            yield
        if is_match(NO_NAME.text):
            matches.insert(0, -1)
        return NameSet(matches, self._count)

    def numbers(
        self, number_of: Callable[[Name], int], unless: NDArray[np.bool_] | None = None
    ) -> Interruptible[NDArray[np.uint8]]:
        """A small number for each name, that without a name first; in steps of a page.

        `unless`: for which nobody needs it, so that it is 0.
        """
        return (yield from self.page_numbers(lambda names: list(map(number_of, names)), unless))

    def page_numbers(
        self, numbers_of: Callable[[Sequence[Name]], Sequence[int]], unless: NDArray[np.bool_] | None = None
    ) -> Interruptible[NDArray[np.uint8]]:
        """As `numbers`, from what tells those of many names at once."""
        numbers = np.zeros(self._count + 1, np.uint8)
        wanted = np.ones(self._count + 1, np.bool_) if unless is None else ~unless
        if wanted[0]:
            numbers[0] = numbers_of([NO_NAME])[0]
        for page in range(self.pages):
            first = 1 + page * self._page_size
            places = np.flatnonzero(wanted[first : first + self._page_size]).tolist()
            if places:
                of_page = self._kept(page)
                numbers[first : first + len(of_page)][places] = numbers_of([of_page[place] for place in places])
            yield
        return numbers

    def containing(self, word: str) -> Interruptible[NDArray[np.bool_]]:
        """Mask of names that contain a word, upper and lower case apart, that without a name first.

        Most pages have none that does, which one search tells.
        """
        contains = np.zeros(self._count + 1, np.bool_)
        contains[0] = word in NO_NAME.text
        for page in range(self.pages):
            if self._may_have((word,), page):
                first = 1 + page * self._page_size
                texts = [name.text for name in self._kept(page)]
                contains[first : first + len(texts)] = [word in text for text in texts]
            yield
        return contains

    def are_with(self, word: str, ids: Ints) -> NDArray[np.bool_]:
        """Mask of those of some names, in ascending order, that contain a word, upper and lower case apart.

        Raises DamagedStore.
        """
        contains = np.zeros(len(ids), np.bool_)
        numbers = ids // self._page_size
        for places in np.split(np.arange(len(ids)), np.flatnonzero(np.diff(numbers)) + 1) if len(ids) else []:
            if self._may_have((word,), int(numbers[places[0]])):
                contains[places] = [word in text for text in self.texts(ids[places])]
        return contains

    def folded(self) -> Interruptible[FoldedNames]:
        """All of them, for finding those that contain a text; in steps of a page, and cached."""
        folded = _FOLDED.get(self)
        if folded is not None:
            return folded
        parts: list[bytes] = []
        category: list[int] = []
        numbers: dict[str, int] = {}
        for page in range(self.pages):
            for name in self._kept(page):
                parts.append(name.text.casefold().encode("utf-8", "replace"))
                category.append(numbers.setdefault(name.category, len(numbers)))
            yield
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        joined = b"".join(part + _BETWEEN for part in parts)
        ends = np.cumsum(lengths + len(_BETWEEN)) - len(_BETWEEN)
        return _FOLDED.keep(self, FoldedNames(joined, ends, np.array(category, np.int64), list(numbers)))

    @property
    def count(self) -> int:
        """Number of names."""
        return self._count

    @property
    def pages(self) -> int:
        """Number of pages they are on."""
        return -(-self._count // self._page_size)

    def page(self, number: int) -> Sequence[Name]:
        """The names on a page, by id. Raises DamagedStore."""
        return self._kept(number)

    def _may_have(self, texts: Collection[str], page: int, *, whole: bool = False) -> bool:
        """True if a page may have names with one of some texts, or `whole` names that are one.

        For few plain texts it is not decoded.
        """
        if len(texts) > _FEW or not all(map(_PLAIN.fullmatch, texts)):
            return True
        packed = self._packed(page)
        return any((f'"{text}"' if whole else text).encode() in packed for text in texts)

    def _few(self, page: int, places: Sequence[int]) -> list[str] | None:
        """The texts of some names of a page; None: all of it has to be decoded to tell. Raises DamagedStore."""
        pieces = self._split(page)
        if max(places) >= len(pieces):
            return None
        try:
            return [_ONE.decode(b'["%b"]' % pieces[place]).text for place in places]
        except msgspec.DecodeError:
            return None

    def _pieces(self, page: int) -> list[bytes]:
        """Text and category of each name, as in JSON; none where the page is laid out in another way."""
        packed = self._packed(page)
        is_usual = len(packed) >= len(_FIRST + _LAST) and packed.startswith(_FIRST) and packed.endswith(_LAST)
        return packed[len(_FIRST) : -len(_LAST)].split(_NEXT) if is_usual else []

    def _inflate(self, page: int) -> bytes:
        return decompress(need(self._store, NAMES, page))

    def _decode(self, page: int) -> list[Name]:
        packed = self._packed(page)
        try:
            return _DECODER.decode(packed)
        except msgspec.DecodeError:
            return [Name(text, category) for text, category in json.loads(packed)]


# A million names have some 60 MB. Those of a run that is still indexed are of a reader that lasts for one question.
_FOLDED: OwnerCache[Names, FoldedNames] = OwnerCache("folded_names", "Names of runs in one piece, for searches")
