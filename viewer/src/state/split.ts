/** Place and size of the second timeline. Pure. */

export interface Split {
  readonly side: "beside" | "below";
  /** Part of the first, in percent. */
  readonly percent: number;
}

export const SPLIT_PERCENT = { min: 20, max: 80 } as const;

const SPLIT = /^(beside|below)(?:\.(\d{1,2}))?$/;

/** `beside`, or `below.40`, as an address has it; null for anything else. */
export function parseSplit(text: string): Split | null {
  const [, side, percent = "50"] = SPLIT.exec(text) ?? [];
  const { min, max } = SPLIT_PERCENT;
  return side === undefined
    ? null
    : { side: side as Split["side"], percent: Math.min(max, Math.max(min, Number(percent))) };
}

export function formatSplit({ side, percent }: Split): string {
  return percent === 50 ? side : `${side}.${percent}`;
}
