/**
 * Tracks and groups as an address names them: `5.3-9.g2` is track 5, tracks 3 to 9 and group 2, in this order. Ids are those of the
 * build's track tree, so that a name means the same wherever a track is on the screen. Pure.
 */

/** Tracks and groups by id: the part of a trace that gives keys a meaning. */
export interface Known {
  readonly tracks: ReadonlyMap<number, unknown>;
  readonly groups: ReadonlyMap<number, unknown>;
}

export interface NamedKeys {
  /** Keys of tree nodes, `t5` and `g2`, each once, in the order of the text. */
  readonly keys: readonly string[];
  /** Number of keys that are not in the tree. */
  readonly unknown: number;
}

/** Nobody names so much; what is longer is not looked at, so that an address costs little whatever it says. */
const LONGEST_TEXT = 20_000;

const KEYS = /^g?\d{1,15}(-\d{1,15})?(\.g?\d{1,15}(-\d{1,15})?)*$/;

/** The text if it names tracks or groups, else null. */
export function keysText(text: string | null): string | null {
  return text !== null && text.length <= LONGEST_TEXT && KEYS.test(text) ? text : null;
}

export function trackKey(id: number): string {
  return `t${id}`;
}

/** `["t5", "t3", "t4", "g2"]` → `"5.3-4.g2"`. */
export function formatKeys(keys: readonly string[]): string {
  const parts: { readonly kind: string; readonly first: number; last: number }[] = [];
  for (const key of keys) {
    const kind = key.startsWith("g") ? "g" : "";
    const id = Number(key.slice(1));
    const before = parts[parts.length - 1];
    if (before !== undefined && before.kind === kind && before.last + 1 === id) {
      before.last = id;
    } else {
      parts.push({ kind, first: id, last: id });
    }
  }
  return parts.map(({ kind, first, last }) => `${kind}${first}${last > first ? `-${last}` : ""}`).join(".");
}

/** `"5.3-4.g2"` → the keys of what of it there is. */
export function parseKeys(text: string | null, named: Known): NamedKeys {
  const keys = new Set<string>();
  let unknown = 0;
  for (const part of keysText(text)?.split(".") ?? []) {
    const kind = part.startsWith("g") ? "g" : "t";
    const ids = kind === "g" ? named.groups : named.tracks;
    const [first, last = first] = part.replace("g", "").split("-").map(Number);
    const matches = idsBetween(ids, first!, last!);
    for (const id of matches) {
      keys.add(kind + id);
    }
    unknown += Math.max(0, last! - first! + 1) - matches.length;
  }
  return { keys: [...keys], unknown };
}

/** Takes no longer than there are ids, however wide the range is. */
function idsBetween(ids: ReadonlyMap<number, unknown>, first: number, last: number): readonly number[] {
  if (last - first < ids.size) {
    const span = Math.max(0, last - first + 1);
    return Array.from({ length: span }, (_, k) => first + k).filter((id) => ids.has(id));
  }
  return [...ids.keys()].filter((id) => id >= first && id <= last).sort((a, b) => a - b);
}

/** The ids of tracks, `"5.3-4"`. */
export function formatTracks(tracks: ReadonlySet<number>): string {
  return formatKeys([...tracks].sort((a, b) => a - b).map(trackKey));
}

/** The tracks of the text that there are; groups are none. */
export function parseTracks(text: string | null, named: Known): ReadonlySet<number> {
  const { keys } = parseKeys(text, named);
  return new Set(keys.filter((key) => key.startsWith("t")).map((key) => Number(key.slice(1))));
}
