/** Description of what the pointer is over, in a few lines beside it. */

import { formatDuration, sliceFlags } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { coloring } from "../state/coloring";
import { isUnknown } from "../state/exact";
import type { Hover } from "../state/hover";
import type { Pane } from "../state/pane";
import { nameOf } from "../state/session";
import { timeText } from "../state/time-format";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";
import { withUnit } from "./counter-unit";
import { ExactValue } from "./exact-value";
import { flagsText } from "./flags";
import { atLeast, binTitle, busyPart, formatCount, formatPercent, isCut } from "./format";

const OFFSET_PX = 14;

interface Line {
  readonly term: string;
  readonly text: ComponentChildren;
}

interface Content {
  readonly nameId: number | null;
  readonly title: string;
  readonly lines: readonly Line[];
  readonly note: string;
}

function contentOf(pane: Pane, { pointed }: Hover, trace: Trace): Content {
  const { time } = trace.manifest;
  const duration = (value: bigint) => formatDuration(value, time.tickPs);
  const start = (value: bigint) => ({ term: "Start", text: timeText(pane, value, time) });
  if (pointed.kind === "slice") {
    const { hit, isInstant } = pointed;
    const category = pane.session.value?.name(hit.nameId)?.category ?? "";
    return {
      nameId: hit.nameId,
      title: nameOf(pane, hit.nameId) ?? "…",
      lines: [
        ...(isInstant ? [] : [{ term: "Duration", text: duration(hit.durationTicks) }]),
        start(hit.startTicks),
        ...(category === "" ? [] : [{ term: "Category", text: category }]),
      ],
      note: flagsText(sliceFlags(hit.flags)),
    };
  }
  if (pointed.kind === "bin") {
    const { bin, lanes } = pointed;
    const isRollup = trace.tracks.get(bin.track)?.kind === "rollup";
    const rows = lanes > 1 ? ` of ${lanes} rows` : "";
    const share = bin.exact !== null && isCut(bin.exact.busyTicks) ? "" : ` · ${formatPercent(bin.share)}`;
    const sums = isRollup ? "exact sums" : "exact sums of the events too short to draw";
    return {
      nameId: bin.name,
      title: binTitle(bin.count),
      lines: [
        {
          term: "Busy",
          text: (
            <ExactValue bin={bin} widthCh={14 + rows.length}>
              {({ busyTicks }) =>
                `${atLeast(busyTicks)}${duration(busyTicks)} · ${formatPercent(busyPart(busyTicks, bin.widthTicks, lanes))}${rows}`
              }
            </ExactValue>
          ),
        },
        { term: "Mostly", text: `${nameOf(pane, bin.name) ?? "…"}${share}` },
        {
          term: "Longest",
          text: (
            <ExactValue bin={bin} widthCh={8}>
              {({ longestTicks }) => duration(longestTicks)}
            </ExactValue>
          ),
        },
        start(bin.startTicks),
      ],
      note: `Aggregate of ${duration(bin.widthTicks)}${isRollup ? " of all tracks of the group" : ""}: ${
        isUnknown(pane, bin) ? "the exact sums could not be fetched" : sums
      }`,
    };
  }
  if (pointed.kind === "provisional") {
    const { bin } = pointed;
    return {
      nameId: null,
      title: "Still being indexed",
      lines: [
        { term: "Busy", text: `about ${formatPercent(bin.part)} of ${duration(bin.widthTicks)}` },
        start(bin.startTicks),
      ],
      note: "A rough overview. The events follow as soon as this track is built; tracks on the screen come first.",
    };
  }
  const { hit } = pointed;
  const track = trace.tracks.get(hit.track)?.name ?? "";
  if (hit.kind === "sample") {
    const { agoTicks } = hit;
    const note = agoTicks === null ? "" : `Last sample ${duration(agoTicks)} earlier: the value here is unknown`;
    return {
      nameId: null,
      title: withUnit(hit.value, track),
      lines: [{ term: "Counter", text: track }, start(hit.startTicks)],
      note,
    };
  }
  return {
    nameId: null,
    title: hit.min === hit.max ? withUnit(hit.min, track) : `${hit.min} … ${withUnit(hit.max, track)}`,
    lines: [
      { term: "Counter", text: track },
      { term: "Mean", text: withUnit(Number(hit.mean.toPrecision(6)), track) },
      { term: "Last", text: withUnit(hit.last, track) },
      { term: "Samples", text: formatCount(hit.n) },
      start(hit.startTicks),
    ],
    note: `Aggregate of ${duration(hit.endTicks - hit.startTicks)}: exact`,
  };
}

export function Tooltip({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ widthPx: 0, heightPx: 0 });
  const current = pane.hover.value;
  useLayoutEffect(() => {
    const box = element.current?.getBoundingClientRect();
    if (box !== undefined && (box.width !== size.widthPx || box.height !== size.heightPx)) {
      setSize({ widthPx: box.width, heightPx: box.height });
    }
  });
  if (current === null) {
    return null;
  }
  const { nameId, title, lines, note } = contentOf(pane, current, trace);
  // Right of and below the pointer, on the other side where there is no room.
  const fitsRight = current.clientXPx + OFFSET_PX + size.widthPx < innerWidth - 8;
  const fitsBelow = current.clientYPx + OFFSET_PX + size.heightPx < innerHeight - 8;
  const leftPx = fitsRight ? current.clientXPx + OFFSET_PX : current.clientXPx - OFFSET_PX - size.widthPx;
  const topPx = fitsBelow ? current.clientYPx + OFFSET_PX : current.clientYPx - OFFSET_PX - size.heightPx;
  const color = nameId === null ? undefined : pane.session.value?.colors(coloring.value).css(nameId);
  return (
    <div
      ref={element}
      class="tooltip"
      role="tooltip"
      style={{ left: `${Math.max(4, leftPx)}px`, top: `${Math.max(4, topPx)}px` }}
    >
      <div class="tooltip-name">
        {color !== undefined && <i class="swatch" style={{ background: color }} />}
        {title}
      </div>
      <dl>
        {lines.map((line) => (
          <div class="tooltip-line" key={line.term}>
            <dt>{line.term}</dt>
            <dd>{line.text}</dd>
          </div>
        ))}
      </dl>
      {note !== "" && <div class="tooltip-note">{note}</div>}
    </div>
  );
}
