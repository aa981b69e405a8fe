/** The unit of a counter, where its name says one: `HBM bandwidth (GB/s)`, `Memory [MiB]`, `Total Reserved · Bytes`. Pure. */

const LAST_WORD = /[\s·_]\(?(bytes|%|percent|[KMGT]i?B|[num]?s|[KMGT]?Hz|[mk]?W|°C)\)?$/i;

/** Unit in brackets at the end of a counter's name, or its last word where that is a unit; null where there is none. */
export function unitOf(name: string): string | null {
  const bracketed = /[([]([^()[\]]{1,12})[)\]]( · [^·]*)?( #\d+)?$/.exec(name);
  return bracketed?.[1] ?? LAST_WORD.exec(name)?.[1] ?? null;
}

/** A value with the unit that the counter's name says. */
export function withUnit(value: number, name: string): string {
  const unit = unitOf(name);
  return unit === null ? `${value}` : `${value} ${unit}`;
}
