import { formatExactDuration } from "@tilescope/client";
import { expect, test } from "vitest";
import { pointText } from "./time-figures";

const plain = (text: string) => text.replaceAll("\u202f", " ");

test("a point in time has the digits that its slice needs", () => {
  expect(plain(pointText(1_234_567_890_123n, 12_345_678n, 1))).toBe("1.234 567 9 s");
  expect(plain(pointText(1_234_567_890n, 100_000_000n, 1000))).toBe("1.235 s");
  expect(plain(pointText(1_234_567_890_123n, 0n, 1))).toBe("1.234 567 89 s");
  expect(plain(pointText(-1_999_999n, 1_000_000n, 1))).toBe("-2 µs");
  expect(pointText(0n, 5n, 1)).toBe("0 s");
});

test("what is left out is no more than half a hundredth of the slice, or half a nanosecond", () => {
  for (let k = 0n; k < 400n; k++) {
    const start = (k * 7_919_123_457n) ** 2n % 10n ** 14n;
    const size = (k ** 5n * 31n) % 10n ** 9n;
    const written = BigInt(picoseconds(plain(pointText(start, size, 1))));
    const off = written > start ? written - start : start - written;
    expect(off * 2n <= (size === 0n ? 1000n : size / 100n > 1n ? size / 100n : 1n)).toBe(true);
  }
});

test("the smallest slices leave out nothing", () => {
  expect(pointText(1_234_567_890_123n, 3n, 1)).toBe(formatExactDuration(1_234_567_890_123n, 1));
});

/** `1.5 ns` → `1500`. */
function picoseconds(text: string): string {
  const [number, unit] = [text.replace(/ ?\p{L}+$/u, "").replaceAll(" ", ""), /\p{L}+$/u.exec(text)![0]];
  const [whole, part = ""] = number.split(".");
  return whole + part.padEnd({ ps: 0, ns: 3, µs: 6, ms: 9, s: 12 }[unit]!, "0");
}
