import { describe, expect, test } from "vitest";
import { formatKeys, formatTracks, keysText, parseKeys, parseTracks } from "./track-keys";

function ids(count: number): ReadonlyMap<number, null> {
  return new Map(Array.from({ length: count }, (_, id) => [id, null]));
}

const named = { tracks: ids(100), groups: ids(5) };

describe("names of tracks in an address", () => {
  test("come back as they were written, in their order, runs of ids as one part", () => {
    const keys = ["t5", "t3", "t4", "g2", "g3", "t6"];
    expect(formatKeys(keys)).toBe("5.3-4.g2-3.6");
    expect(parseKeys("5.3-4.g2-3.6", named)).toEqual({ keys, unknown: 0 });
    expect(formatKeys([])).toBe("");
    expect(parseKeys(null, named)).toEqual({ keys: [], unknown: 0 });
  });

  test("whatever is chosen comes back", () => {
    for (let seed = 1; seed < 200; seed++) {
      const keys = [...named.tracks.keys()].filter((id) => (id * 7919 + seed * 104_729) % 13 < seed % 13);
      const turned = [...keys.slice(seed % 7), ...keys.slice(0, seed % 7)].map((id) => `t${id}`);
      expect(parseKeys(formatKeys(turned), named)).toEqual({ keys: turned, unknown: 0 });
    }
  });

  test("count what there is not, and name nothing twice", () => {
    expect(parseKeys("98-103.g4-9.98", named)).toEqual({ keys: ["t98", "t99", "g4"], unknown: 4 + 5 });
    expect(parseKeys("0-999999999999999", named)).toMatchObject({ unknown: 999999999999900 });
    expect(parseKeys("7-3", named)).toEqual({ keys: [], unknown: 0 });
  });

  test("are nothing where they are malformed or longer than anybody writes", () => {
    for (const text of ["", "-3", "3-", "a", "3..4", "g", "1e3", "3,4", `${"1.".repeat(10_000)}1`]) {
      expect(keysText(text)).toBeNull();
      expect(parseKeys(text, named).keys).toEqual([]);
    }
  });

  test("of an area are tracks alone, in the order of their ids", () => {
    expect(formatTracks(new Set([9, 4, 5, 3]))).toBe("3-5.9");
    expect(parseTracks("3-5.g1.9", named)).toEqual(new Set([3, 4, 5, 9]));
  });
});
