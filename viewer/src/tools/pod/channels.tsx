/** The channels of the pod: which there are, how long each takes, and all of the one that is looked at. */

import type { ToolColumn, ToolTable } from "@tilescope/client";
import { useRef } from "preact/hooks";
import { figureText } from "../../answers/figures";
import { goToPlace, Places } from "../../answers/timeline-places";
import { BarSelect } from "../../components/bar-select";
import { GoIcon } from "../../components/icons";
import type { PageContext } from "../contract";
import {
  bandwidthText,
  type ChannelRow,
  channelNames,
  channelRows,
  dataText,
  partOf,
  shortNames,
} from "./channel-rows";

interface Props {
  readonly table: ToolTable;
  readonly cores: ToolTable;
  readonly context: PageContext;
  /** The channel whose pairs are listed; empty: all. */
  readonly channel: string;
  readonly onChannel: (channel: string) => void;
  /** The row that is looked at. */
  readonly current: number;
  readonly onCurrent: (row: number) => void;
}

const MOST_LISTED = 200;

export function Channels({ table, cores, context, channel, onChannel, current, onCurrent }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const all = channelRows(table);
  const rows = all.filter((row) => channel === "" || row.channel === channel);
  const listed = rows.slice(0, MOST_LISTED);
  const shownRow = rows.find(({ row }) => row === current) ?? listed[0];
  const words = worded(table, context);
  const short = shortNames(cores);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const index = listed.findIndex(({ row }) => row === shownRow?.row);
    const next = by === undefined ? undefined : listed[index + by];
    if (next !== undefined) {
      onCurrent(next.row);
      list.current?.querySelector<HTMLElement>(`[data-channel-row="${next.row}"]`)?.focus();
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <section class="pod-channels" aria-label="Channels between cores">
      <div class="pod-channel-head">
        <h3>Channels</h3>
        <BarSelect
          label="Channel"
          choices={["", ...channelNames(all)].map((value) => ({
            value,
            text: value === "" ? "All channels" : `Channel ${value}`,
          }))}
          chosen={channel}
          onChoose={onChannel}
        />
        <span class="pod-worth">Mean latency, the slowest first</span>
      </div>
      <ol class="pod-channel-list" ref={list} onKeyDown={onKeyDown}>
        {listed.map((row) => (
          <li key={row.row}>
            <button
              type="button"
              class="pod-channel"
              data-channel-row={row.row}
              tabIndex={row.row === shownRow?.row ? 0 : -1}
              aria-current={row.row === shownRow?.row}
              onMouseEnter={() => onCurrent(row.row)}
              onFocus={() => onCurrent(row.row)}
              onClick={() => onCurrent(row.row)}
            >
              <span class="pod-channel-name">
                {row.channel}: {short.get(row.source) ?? row.source} → {short.get(row.destination) ?? row.destination}
              </span>
              <span class="pod-bar">
                <span style={{ width: `${100 * partOf(row, listed)}%` }} />
              </span>
              <span class="pod-channel-time">{words("latency", row)}</span>
            </button>
          </li>
        ))}
      </ol>
      {rows.length > MOST_LISTED && <p class="page-note">{rows.length - MOST_LISTED} more are in the table below.</p>}
      {shownRow !== undefined && <ChannelCard table={table} context={context} channel={shownRow} words={words} />}
    </section>
  );
}

type Words = (id: keyof typeof COLUMNS, row: ChannelRow) => string;

interface CardProps {
  readonly table: ToolTable;
  readonly context: PageContext;
  readonly channel: ChannelRow;
  readonly words: Words;
}

function ChannelCard({ table, context, channel, words }: CardProps) {
  const place = new Places(table.columns).placeOf(channel.row);
  const facts: readonly (readonly [string, string])[] = [
    ["Data", dataText(channel.data)],
    ["Latency", words("latency", channel)],
    ["Bandwidth", bandwidthText(channel.bandwidth)],
    ["Send delay", words("sendDelay", channel)],
    ["Transfers", words("occurrences", channel)],
  ];
  return (
    <section class="pod-card" aria-label="Channel">
      <h3>
        Channel {channel.channel}: {channel.source} → {channel.destination}
      </h3>
      <dl>
        {facts.map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <ul class="pod-hlo">
        {channel.hlo.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <button type="button" class="pod-link" onClick={() => context.openPage("op_profile", { operation: name })}>
              Op profile<span class="visually-hidden"> of {name}</span>
            </button>
            <button
              type="button"
              class="pod-link"
              onClick={() => context.openPage("memory_viewer", { program: channel.program ?? "", buffers: "all" })}
            >
              Memory viewer<span class="visually-hidden"> of the program of {name}</span>
            </button>
          </li>
        ))}
      </ul>
      {place !== null && (
        <div class="pod-ways">
          <button type="button" class="button is-outlined" onClick={() => goToPlace(context, place)}>
            <GoIcon /> Show the slowest in the timeline
          </button>
        </div>
      )}
    </section>
  );
}

const COLUMNS = { latency: "latency", sendDelay: "send_delay", occurrences: "occurrences" } as const;

/** Figures of rows with their units. */
function worded(table: ToolTable, context: PageContext): Words {
  const columns = new Map<string, ToolColumn>(table.columns.map((column) => [column.id, column]));
  return (id, row) => {
    const column = columns.get(COLUMNS[id]);
    if (column === undefined || row[id] === null) {
      return "–";
    }
    const { digits, unit } = figureText(column, row[id], context.time);
    return `${digits} ${unit}`.trim();
  };
}
