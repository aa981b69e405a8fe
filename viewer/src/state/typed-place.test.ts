import { type TimeBase, ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import { typedPlace } from "./typed-place";

const MACHINE: TimeBase = { tickPs: 1000, originNs: 5n, zeroTicks: ticks(100) };
/** Tick 0 is at 12:03:00 UTC. */
const CLOCK: TimeBase = { tickPs: 1, originNs: 1_700_000_000n * 1_000_000_000n - 36_620_000_000_000n + 0n };

const ticksOf = (text: string, base = MACHINE) => {
  const place = typedPlace(text, base);
  return place?.kind === "time" ? place.atTicks : place;
};

test.each([
  ["450 ms", 450_000_100n],
  ["450ms", 450_000_100n],
  [" 1.5 s ", 1_500_000_100n],
  ["1.234 567 s", 1_234_567_100n],
  ["1\u202f234.5 us", 1_234_600n],
  ["1,234.5 us", 1_234_600n],
  ["1,234,567 ns", 1_234_667n],
  ["2 µs", 2100n],
  ["0 s", 100n],
  ["2 min", 120_000_000_100n],
  ["00:01:02.5", 62_500_000_100n],
])("%s is a time since the start", (text, expected) => {
  expect(ticksOf(text)).toBe(expected);
});

test("a time of day is that of the run, by its clock", () => {
  const dayPs = 86_400n * 10n ** 12n;
  const startPs = CLOCK.originNs * 1000n;
  for (const text of ["12:03:04.5", "00:00", "23:59:59.999"]) {
    const [hours, minutes, seconds = "0"] = text.split(":");
    const wantedPs =
      BigInt(Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000)) * 10n ** 9n;
    const place = ticksOf(text, CLOCK);
    expect(typeof place).toBe("bigint");
    expect(place as bigint).toBeGreaterThanOrEqual(0n);
    expect(place as bigint).toBeLessThan(dayPs);
    expect((startPs + (place as bigint)) % dayPs).toBe(wantedPs);
  }
});

test("steps and events", () => {
  expect(ticksOf("step 7")).toEqual({ kind: "step", step: "7" });
  expect(ticksOf("Step #007")).toEqual({ kind: "step", step: "7" });
  expect(ticksOf("#12.345")).toEqual({ kind: "event", track: 12, ordinal: 345 });
});

test.each(["fusion", "450", "ms", "step", "12:99", "#12", "1.2.3 s", "450 parsec", "99:00:00.x", "", "dur>1ms"])(
  "%s is no place",
  (text) => {
    expect(typedPlace(text, MACHINE)).toBeNull();
  },
);

test("there is no hour 25 of a day", () => {
  expect(typedPlace("25:00", CLOCK)).toBeNull();
});
