import { describe, expect, test } from "vitest";
import { type ColumnInput, encodeContainer } from "../testing/encode";
import { Random } from "../testing/random";
import { Container } from "./container";
import { FormatError } from "./error";

function page(columns: Parameters<typeof encodeContainer>[0]["columns"]): Uint8Array<ArrayBuffer> {
  return encodeContainer({ magic: "TSPG", level: 3, block: 7, tileCount: 2, columns });
}

function roundTrip(column: Omit<ColumnInput, "id">): bigint[] {
  return [...new Container(page([{ id: 9, ...column }])).ints(9, column.values.length).values];
}

test("the header", () => {
  const container = new Container(page([]));
  expect(container).toMatchObject({ kind: "page", level: 3, block: 7, tileCount: 2 });
});

describe("integer columns", () => {
  test("the documented steps on a known column", () => {
    // Delta and zigzag, base 100, scale 10: 100 + 10, + 20, - 10.
    const values = [110n, 130n, 120n];
    const bytes = page([{ id: 9, values, delta: true, zigzag: true, base: 100n, scale: 10n }]);
    expect([...bytes.subarray(16 + 24)]).toEqual([2, 4, 1]);
    expect([...new Container(bytes).ints(9, 3).values]).toEqual(values);
  });

  test("random values in every combination of transforms", () => {
    const random = new Random(2);
    for (let round = 0; round < 200; round++) {
      const scale = random.pick([1n, 1n, 3n, 1000n, 65_537n, 2n ** 32n + 15n, 2n ** 40n]);
      const delta = random.below(2) === 1;
      const base = random.int64();
      let before = base;
      const values = Array.from({ length: random.below(50) + 1 }, () => {
        // Whole multiples of the scale from the base, and no overflow on the way: the encoder divides.
        const step = BigInt.asIntN(64, random.int64() / scale / 4n) * scale;
        const value = BigInt.asIntN(64, before + step);
        before = delta ? value : base;
        return value;
      });
      const wanted = { values, delta, zigzag: true, base, scale };
      const steps = values.map((value, k) => value - (delta && k > 0 ? values[k - 1]! : base));
      if (steps.every((step) => step === BigInt.asIntN(64, step))) {
        expect(roundTrip(wanted)).toEqual(values);
      }
    }
  });

  test("extremes of 64 bits", () => {
    const values = [-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n, 2n ** 32n, -(2n ** 32n)];
    expect(roundTrip({ values, zigzag: true })).toEqual(values);
    expect(roundTrip({ values })).toEqual(values);
    expect(roundTrip({ values, delta: true })).toEqual(values);
  });

  test("a constant column takes no bytes", () => {
    const bytes = page([{ id: 9, values: [5n, 5n, 5n], base: 5n }]);
    expect(bytes.length).toBe(16 + 24);
    expect([...new Container(bytes).ints(9, 3).values]).toEqual([5n, 5n, 5n]);
  });

  test("views of a column", () => {
    const column = new Container(page([{ id: 1, values: [2n ** 40n, 2n ** 40n + 5n, -3n], zigzag: true }])).ints(1, 3);
    expect([...column.toFloat64()]).toEqual([2 ** 40, 2 ** 40 + 5, -3]);
    const out = new Float64Array(3);
    expect(column.subtract(2n ** 40n, 0, 3, out)).toBe(true);
    expect([...out]).toEqual([0, 5, -3 - 2 ** 40]);
    expect(column.subtract(-(2n ** 62n), 0, 1, out)).toBe(false);
    expect(() => column.toUint32("row")).toThrow(FormatError);
    const names = new Container(page([{ id: 1, values: [7n, -1n], zigzag: true }])).ints(1, 2);
    expect([...names.toNames("name", 99)]).toEqual([7, 99]);
    expect(() => column.toNames("name", 99)).toThrow("name 1099511627776 is no id of a name");
    expect(() => column.toUint8("bin")).toThrow("bin 1099511627776 is not in 0..255");
  });
});

test("float columns keep their bits", () => {
  const floats = [0, -0, Number.NaN, 1 / 3, Number.NEGATIVE_INFINITY, Number.MIN_VALUE];
  const container = new Container(
    page([
      { id: 7, floats },
      { id: 8, floats: [0, 0] },
    ]),
  );
  expect([...container.floats(7, 6).values]).toEqual(floats);
  expect([...container.floats(8, 2).values]).toEqual([0, 0]);
  expect(() => container.ints(7, 6)).toThrow(FormatError);
});

test("columns that are missing are empty, and unknown ones are skipped", () => {
  const container = new Container(page([{ id: 200, values: [1n] }]));
  expect(container.has(5)).toBe(false);
  expect(container.ints(5, 0).length).toBe(0);
  expect(container.floats(5, 0).length).toBe(0);
  expect(() => container.ints(5, 1)).toThrow("column 5 has 0 values where 1 are needed");
});

describe("malformed containers", () => {
  const good = page([
    { id: 1, values: [1n, 300n] },
    { id: 7, floats: [1.5] },
  ]);

  test.each([
    ["empty", new Uint8Array(0)],
    ["magic", changed(0, 0)],
    ["version", changed(4, 2)],
    ["more columns than bytes", changed(7, 200)],
    ["nine planes", changed(17, 9)],
    ["unknown flags", changed(18, 64)],
    ["longer than its body", changed(20, 77)],
    ["enormous without planes", changed(17, 0, 23, 255)],
    ["scale 0", changed(16 + 16, 0)],
    ["a float column of 3 planes", changed(16 + 24 + 1, 3)],
    ["the same column twice", changed(16 + 24, 1)],
    ["cut short", good.subarray(0, good.length - 1)],
    ["bytes behind the end", new Uint8Array([...good, 0])],
  ])("%s is an error", (_, bytes) => {
    expect(() => new Container(bytes)).toThrow(FormatError);
  });

  test("random damage gives a value or a FormatError, never anything else", () => {
    const random = new Random(3);
    for (let round = 0; round < 2000; round++) {
      const bytes = good.slice(0, random.below(4) === 0 ? random.below(good.length) : good.length);
      for (let change = 0; change < 3 && bytes.length > 0; change++) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      try {
        const container = new Container(bytes);
        container.ints(1, 2);
        container.floats(7, 1);
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }
  });

  function changed(...changes: number[]): Uint8Array {
    const bytes = good.slice();
    for (let k = 0; k < changes.length; k += 2) {
      bytes[changes[k]!] = changes[k + 1]!;
    }
    return bytes;
  }
});
