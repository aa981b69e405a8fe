/** Shifts as somebody types them. Pure. */

const SHIFT = /^([+\-−]?)(\d{1,18})(?:\.(\d{1,12}))?\s*(ps|ns|us|µs|ms|s)$/;
const PS = { ps: 0, ns: 3, us: 6, µs: 6, ms: 9, s: 12 } as const;

/** `+1.5ms` as ticks, the nearest; `0` needs no unit. Null: it means nothing. */
export function parseShift(text: string, tickPs: number): bigint | null {
  const typed = text.trim().replace(/(\d)\s+(?=\d)/g, "$1");
  if (/^[+\-−]?0*$/.test(typed)) {
    return typed === "" ? null : 0n;
  }
  const [, sign, whole = "", part = "", unit] = SHIFT.exec(typed) ?? [];
  if (unit === undefined) {
    return null;
  }
  const exponent = PS[unit as keyof typeof PS];
  const scaled = BigInt(whole + part.padEnd(12, "0")) * 10n ** BigInt(exponent);
  const tick = BigInt(tickPs) * 10n ** 12n;
  const ticks = (2n * scaled + tick) / (2n * tick);
  return ticks >= 1n << 60n ? null : sign === "" || sign === "+" ? ticks : -ticks;
}
