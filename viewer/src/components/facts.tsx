/** Tables of facts, as the drawer shows them. */

import { formatTime, type Manifest } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { hostNoun } from "../state/host-noun";
import { hasWallClock } from "../state/time-format";
import { totalsOf } from "../state/totals";
import type { Trace } from "../state/trace";
import { formatBytes, formatCount } from "./format";

export function Row({
  name,
  children,
  aside,
}: {
  name: string;
  children: ComponentChildren;
  aside?: string | undefined;
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="is-value">
        {aside === undefined ? children : <span class="exact">{children}</span>}
        {aside !== undefined && <span class="aside">{aside}</span>}
      </td>
    </tr>
  );
}

/** A point in time as a date, where the trace knows one. */
export function WallClockRow({
  timeTicks,
  manifest,
}: {
  timeTicks: Manifest["range"]["startTicks"];
  manifest: Manifest;
}) {
  if (!hasWallClock(manifest.time)) {
    return null;
  }
  return <Row name="Wall clock">{formatTime(timeTicks, manifest.time, "utc")} UTC</Row>;
}

const FORMATS: Readonly<Record<string, string>> = {
  xspace: "XSpace (XPlane)",
  trace_event_json: "Trace-event JSON",
};

/** Facts about the run as a whole, with everything that was odd about its files. */
export function RunFacts({ trace }: { trace: Trace }) {
  const { manifest } = trace;
  const totals = totalsOf(trace);
  const noun = hostNoun(manifest.hosts);
  return (
    <table class="facts" data-table="run">
      <caption>Run</caption>
      <tbody>
        <Row name="Format">{FORMATS[manifest.format] ?? manifest.format}</Row>
        <Row name={manifest.files.length === 1 ? "File" : "Files"}>{manifest.files.join("\n")}</Row>
        <Row name={manifest.hosts.length === 1 ? noun.title : noun.titleOfMany}>{manifest.hosts.join("\n")}</Row>
        <WallClockRow timeTicks={manifest.range.startTicks} manifest={manifest} />
        <Row name="Events on tracks">{formatCount(totals.events)}</Row>
        <Row name="Tracks">{formatCount(totals.tracks)}</Row>
        <Row name="In the files">
          {totals.inFiles.map(([name, count]) => `${formatCount(count)} ${name}`).join("\n")}
        </Row>
        <Row name="Index">{formatBytes(manifest.storeBytes)}</Row>
        {manifest.warnings.map((warning) => (
          <Row key={warning} name="Warning">
            {warning}
          </Row>
        ))}
        {Object.entries(manifest.ignored).map(([reason, count]) => (
          <Row key={reason} name="Ignored">
            {formatCount(count)} × {reason.replace(/_/g, " ")}
          </Row>
        ))}
      </tbody>
    </table>
  );
}
