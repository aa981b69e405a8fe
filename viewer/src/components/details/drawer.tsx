/** The details drawer: what is selected, with everything that is known about it, as tables that can be copied. */

import { type EventDetails, formatDuration, formatExactDuration, formatTime } from "@tilescope/client";
import { useState } from "preact/hooks";
import { withKeys } from "../keys/table";
import { detailsView } from "../state/details";
import { isUnknown } from "../state/exact";
import { link } from "../state/link";
import { type AreaSelection, type BinFacts, selection } from "../state/selection";
import { nameOf } from "../state/session";
import { changeSettings, DRAWER_HEIGHT_PX, settings } from "../state/settings";
import { type Trace, trackPath } from "../state/trace";
import { useApp } from "./app-context";
import { copyText } from "./clipboard";
import { argText, detailsTsv, shownArgs } from "./copy";
import { ExactValue } from "./exact-value";
import { Row, RunFacts, WallClockRow } from "./facts";
import { flagsText } from "./flags";
import { FlowLinks } from "./flow-links";
import { atLeast, busyPart, formatCount, formatPercent, plural } from "./format";
import { CheckIcon, CloseIcon, CopyIcon, FitIcon } from "./icons";
import { Splitter } from "./splitter";
import "../styles/drawer.css";

function CopyButton({ text }: { text: () => string }) {
  const [isDone, setDone] = useState(false);
  return (
    <button
      type="button"
      class="button is-icon"
      title="Copy as tab-separated text"
      aria-label={isDone ? "Copied" : "Copy as tab-separated text"}
      onClick={async () => {
        await copyText(text());
        setDone(true);
        setTimeout(() => setDone(false), 1200);
      }}
    >
      {isDone ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}

function Head({ title, label, copy }: { title: string; label?: string; copy?: () => string }) {
  const app = useApp();
  return (
    <div class="drawer-head">
      <h2 class="drawer-title" title={title}>
        {title}
      </h2>
      {copy !== undefined && <CopyButton text={copy} />}
      {label !== undefined && (
        <button
          type="button"
          class="button is-outlined"
          title={withKeys(label, "focus-selection")}
          onClick={() => app.guide.zoomToSelection()}
        >
          <FitIcon />
          {label}
        </button>
      )}
      <button
        type="button"
        class="button is-icon"
        aria-label="Close"
        title={withKeys("Close", "toggle-drawer")}
        onClick={() => app.act("toggle-drawer")}
      >
        <CloseIcon />
      </button>
    </div>
  );
}

function EventPanel({ trace, details }: { trace: Trace; details: EventDetails }) {
  const { time } = trace.manifest;
  const endTicks = details.startTicks + details.durationTicks;
  const args = shownArgs(details);
  const isSpan = details.kind !== "instant" && details.kind !== "counter";
  return (
    <>
      <Head
        title={details.name === "" ? "[no name]" : details.name}
        label="Zoom to it"
        copy={() => detailsTsv(details, trackPath(trace, details.track), time)}
      />
      <div class="drawer-body">
        <table class="facts" data-table="event">
          <caption>Event</caption>
          <tbody>
            <Row name="Name">{details.name === "" ? "[no name]" : details.name}</Row>
            {details.category !== "" && <Row name="Category">{details.category}</Row>}
            <Row name="Track">{trackPath(trace, details.track).join(" › ")}</Row>
            <Row name="Start" aside={`${details.startTicks} ticks`}>
              {formatTime(details.startTicks, time, "relative")}
            </Row>
            {isSpan && (
              <>
                <Row name="Duration" aside={`${details.durationTicks} ticks`}>
                  {formatExactDuration(details.durationTicks, time.tickPs)}
                </Row>
                <Row name="End" aside={`${endTicks} ticks`}>
                  {formatExactDuration(endTicks, time.tickPs)}
                </Row>
                <Row name="Row">{details.row}</Row>
              </>
            )}
            {details.value !== null && <Row name="Value">{String(details.value)}</Row>}
            <WallClockRow timeTicks={details.startTicks} manifest={trace.manifest} />
            <Row name="Ordinal">{formatCount(details.ordinal)}</Row>
            {details.flags.length > 0 && <Row name="Flags">{flagsText(details.flags)}</Row>}
          </tbody>
        </table>
        <div>
          <FlowLinks trace={trace} details={details} />
          <table class="facts" data-table="arguments">
            <caption>{args.length === 0 ? "No arguments" : plural(args.length, "argument")}</caption>
            <tbody>
              {args.map((arg, index) => (
                // An argument may come twice: its place is its identity.
                <tr key={`${index} ${arg.name}`}>
                  <th scope="row">{arg.name}</th>
                  <td class="is-value">{argText(arg.value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </>
  );
}

function BinPanel({ trace, bin }: { trace: Trace; bin: BinFacts }) {
  const { tickPs } = trace.manifest.time;
  const name = nameOf(bin.name);
  const track = trace.tracks.get(bin.track);
  const lanes = track?.kind === "rollup" ? track.lanes : 1;
  const whole = `${formatDuration(bin.widthTicks, tickPs)}${lanes > 1 ? ` × ${lanes} rows` : ""}`;
  const part = bin.exact === null ? null : busyPart(bin.exact.busyTicks, bin.widthTicks, lanes);
  const cut = bin.exact === null ? "" : atLeast(bin.exact.busyTicks);
  return (
    <>
      <Head title={`${plural(bin.count, "event")} in one bin`} label="Zoom in" />
      <div class="drawer-body">
        <table class="facts" data-table="bin">
          <caption>{isUnknown(bin) ? "Aggregate; its exact sums could not be fetched" : "Aggregate, exact"}</caption>
          <tbody>
            <Row name="Track">{trackPath(trace, bin.track).join(" › ")}</Row>
            <Row name="Events that start in it">{formatCount(bin.count)}</Row>
            <Row name="Busy" aside={part === null ? "" : `${cut}${formatPercent(part)} of ${whole}`}>
              <ExactValue bin={bin} widthCh={13}>
                {({ busyTicks }) => `${cut}${formatExactDuration(busyTicks, tickPs)}`}
              </ExactValue>
            </Row>
            <Row name="Name with most busy time" aside={cut === "" ? formatPercent(bin.share) : ""}>
              {name ?? "…"}
            </Row>
            <Row name="Longest event">
              <ExactValue bin={bin} widthCh={13}>
                {({ longestTicks }) => formatExactDuration(longestTicks, tickPs)}
              </ExactValue>
            </Row>
            <Row name="Start">{formatTime(bin.startTicks, trace.manifest.time, "relative")}</Row>
          </tbody>
        </table>
      </div>
    </>
  );
}

function AreaPanel({ trace, area }: { trace: Trace; area: AreaSelection }) {
  const { time } = trace.manifest;
  const { startTicks, endTicks } = area.range;
  const ids = [...area.tracks];
  const first = ids[0];
  const last = ids[ids.length - 1];
  return (
    <>
      <Head title={`${formatDuration(endTicks - startTicks, time.tickPs)} selected`} label="Zoom to it" />
      <div class="drawer-body">
        <table class="facts" data-table="area">
          <caption>Selected range</caption>
          <tbody>
            <Row name="Duration" aside={`${endTicks - startTicks} ticks`}>
              {formatExactDuration(endTicks - startTicks, time.tickPs)}
            </Row>
            <Row name="Start">{formatTime(startTicks, time, "relative")}</Row>
            <Row name="End">{formatTime(endTicks, time, "relative")}</Row>
            <Row name="Tracks">{formatCount(area.tracks.size)}</Row>
            {first !== undefined && <Row name="First track">{trackPath(trace, first).join(" › ")}</Row>}
            {last !== undefined && <Row name="Last track">{trackPath(trace, last).join(" › ")}</Row>}
          </tbody>
        </table>
      </div>
    </>
  );
}

const AWAY = "The server does not answer. The details of this event follow by themselves when it does.";

function DrawerContent({ trace }: { trace: Trace }) {
  const chosen = selection.value;
  const details = detailsView.value;
  switch (chosen.kind) {
    case "none":
      return (
        <>
          <Head title={trace.manifest.name} />
          <div class="drawer-body">
            <RunFacts trace={trace} />
            <p class="drawer-hint">
              Nothing is selected. Click a slice to see its details, or drag over the timeline to select a time range.
            </p>
          </div>
        </>
      );
    case "area":
      return <AreaPanel trace={trace} area={chosen} />;
    case "bin":
      return <BinPanel trace={trace} bin={chosen.bin} />;
    case "event":
      if (details.kind === "ready") {
        return <EventPanel trace={trace} details={details.details} />;
      }
      return (
        <>
          <Head title={details.kind === "failed" ? "This event cannot be fetched" : "Loading …"} />
          {details.kind === "failed" && (
            <p class="drawer-empty">{link.value.kind === "down" ? AWAY : `${details.message}.`}</p>
          )}
        </>
      );
  }
}

export function Drawer({ trace }: { trace: Trace }) {
  return (
    <section class="drawer" aria-label="Details">
      <Splitter
        axis="y"
        label="Height of the details drawer"
        valuePx={settings.value.drawerHeightPx}
        limits={DRAWER_HEIGHT_PX}
        sign={-1}
        onChange={(drawerHeightPx) => changeSettings({ drawerHeightPx })}
      />
      <DrawerContent trace={trace} />
    </section>
  );
}
