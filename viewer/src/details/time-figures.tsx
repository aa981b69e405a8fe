/** Times in the digits that matter; all of them show on hover and are what is copied. */

import { formatDuration, formatExactDuration, type TimeBase } from "@tilescope/client";
import { exactText } from "../answers/figures";
import { useApp } from "../components/app-context";
import { timeText } from "../state/time-format";

/** A point in time is written to this part of what lies there: two starts that differ can be told apart. */
const PART = 100n;

/** No clock tells less than a nanosecond. */
const LEAST_PS = 1000n;

interface FigureProps {
  readonly text: string;
  readonly exact: string;
  readonly title: string;
}

function Figure({ text, exact, title }: FigureProps) {
  return (
    <span data-exact={exact} title={title}>
      {text}
    </span>
  );
}

interface DurationProps {
  readonly ticks: bigint;
  readonly time: TimeBase;
  /** Text before it: a sign, "at least". */
  readonly prefix?: string;
  /** The meaning of the figure, where nothing beside it says it. */
  readonly what?: string;
}

/** `12.35 µs`, exactly `12.345 678 µs · 12,345,678 ticks`. */
export function Duration({ ticks, time, prefix = "", what = "" }: DurationProps) {
  return (
    <Figure
      text={prefix + formatDuration(ticks, time.tickPs)}
      exact={prefix + formatExactDuration(ticks, time.tickPs)}
      title={`${what === "" ? "" : `${what}: `}${prefix}${exactText({ kind: "ticks", unit: "" }, ticks.toString(), time)}`}
    />
  );
}

/** A point in time; `size` is the duration of what starts or ends there, which says how many digits matter. */
export function PointInTime({ ticks, time, size }: { ticks: bigint; time: TimeBase; size: bigint }) {
  const { pane } = useApp();
  const exact = timeText(pane, ticks, time);
  const text =
    pane.shownFormat.value === "relative" ? pointText(ticks - (time.zeroTicks ?? 0n), size, time.tickPs) : exact;
  return <Figure text={text} exact={exact} title={exact} />;
}

/** `(1234567890123n, 12345678n, 1)` → `1.234 567 9 s`: to the largest power of ten that is no more than a hundredth of the size. */
export function pointText(ticks: bigint, size: bigint, tickPs: number): string {
  const most = (size * BigInt(tickPs)) / PART;
  const step = size === 0n ? LEAST_PS : 10n ** BigInt(Math.max(0, most.toString().length - 1));
  const ps = ticks * BigInt(tickPs);
  const half = ps < 0n ? -step / 2n : step / 2n;
  return formatExactDuration(((ps + half) / step) * step, 1);
}
