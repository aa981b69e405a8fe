/** A column whose values add up to a whole as a ring: its parts by size, with a list of them. By pointer and by keys. */

import { BarSelect } from "../../components/bar-select";
import "./share-ring.css";
import { useSignal } from "@preact/signals";
import type { ToolTable } from "@tilescope/client";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { plural } from "../../components/format";
import { DownloadIcon, GoIcon } from "../../components/icons";
import { savePicture } from "../../components/save";
import { theme } from "../../state/settings";
import { readCanvasTheme } from "../../timeline/canvas-theme";
import { plotColors } from "../chart-colors";
import { CopyButton } from "../copy-button";
import { cutName } from "../cut-name";
import type { Links } from "../links";
import { type TableChoices, TableModel } from "../table-model";
import { goToPlace } from "../timeline-places";
import { NameColors, RowNames } from "../tree-picture/names";
import { useForced } from "../use-forced";
import { useMatches } from "../use-matches";
import { ringFile, ringText } from "./ring-file";
import { type PartLabel, partLabel, restLabel, sizeText } from "./ring-labels";
import { INNER_RADIUS, paintRing, type RingDrawing } from "./ring-paint";
import { partAt, partByKey, ringColumns, ringParts } from "./ring-parts";

/** Names of more pixels keep their ends in the list. */
const NAME_PX = 240;
const SIZE_PX = 220;
/** In low windows, which have to have room for rows of the table; `share-ring.css` has the list no higher. */
const LOW_SIZE_PX = 104;
const isLow = () => matchMedia("(max-height: 799px)");

interface Props {
  readonly table: ToolTable;
  readonly links: Links;
  readonly choices: TableChoices;
  readonly rangeText: string;
  /** Shows the row of the table that a part is about. */
  readonly onRow: (row: number) => void;
}

export function ShareRing({ table, links, choices, rangeText, onRow }: Props) {
  const model = useMemo(() => new TableModel(table, links, choices), [table, links, choices]);
  const columns = useMemo(() => ringColumns(model), [model]);
  const names = useMemo(() => new RowNames(table, links.trackPath), [table, links.trackPath]);
  const nameColors = useMemo(() => new NameColors(names, theme.value), [names, theme.value]);
  const isForced = useForced();
  const sizePx = useMatches(isLow).value ? LOW_SIZE_PX : SIZE_PX;
  const chosen = useSignal<string | null>(null);
  const column = columns.find(({ id }) => id === chosen.value) ?? columns[0]!;
  const { rows } = model.lines.value;
  const parts = useMemo(() => ringParts(model, column, rows), [model, column, rows]);
  const current = useSignal(-1);
  const pointed = useSignal(-1);
  const canvas = useRef<HTMLCanvasElement>(null);
  const lit = pointed.value >= 0 ? pointed.value : current.value;
  const labels = parts.map((part) => partLabel(part, column, names, restLabel(model)));
  const whole = sizeText(column, column.column.kind === "fraction" ? 1 : (table.totals?.[column.id] ?? null));

  const drawing = (): RingDrawing | null => {
    const element = canvas.current;
    if (element === null) {
      return null;
    }
    const { accent, panel } = readCanvasTheme(element);
    const { text: textDim, ...plot } = plotColors(element, theme.value);
    const paints = { ...plot, textDim, accent: plot.forced?.text ?? accent, panel: plot.forced?.ground ?? panel };
    const plain = { fill: paints.panel, text: paints.forced?.text ?? textDim };
    const colors = parts.map(({ row }) =>
      row < 0 || paints.forced !== null ? plain : nameColors.colorsOf(names.numbers[row]!),
    );
    return { parts, colors, paints, sizePx, middle: [whole, column.title], current: lit };
  };
  useEffect(() => {
    const parts = drawing();
    const element = canvas.current;
    if (parts === null || element === null) {
      return;
    }
    element.width = element.height = Math.round(sizePx * devicePixelRatio);
    const context = element.getContext("2d")!;
    context.scale(devicePixelRatio, devicePixelRatio);
    paintRing(context, parts);
  }, [parts, lit, nameColors, whole, isForced.value, sizePx]);
  // Places of parts are those of one ring.
  useEffect(() => {
    current.value = pointed.value = -1;
  }, [parts]);

  const focus = (part: number) => {
    current.value = part;
    const row = parts[part]?.row ?? -1;
    if (row >= 0) {
      onRow(row);
    }
  };
  const placeOf = (part: number) => {
    const row = parts[part]?.row ?? -1;
    return row < 0 ? null : model.places.placeOf(row);
  };
  const partOf = (event: MouseEvent) => {
    const area = canvas.current!.getBoundingClientRect();
    const outer = sizePx / 2 - 3;
    const half = sizePx / 2;
    return partAt(
      parts,
      event.clientX - area.left - half,
      event.clientY - area.top - half,
      outer * INNER_RADIUS,
      outer,
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    const next = partByKey(parts.length, current.value, event.key);
    if (next !== null) {
      focus(next);
    } else if (event.key === "Enter" && placeOf(current.value) !== null) {
      goToPlace(links, placeOf(current.value));
    } else {
      return;
    }
    pointed.value = -1;
    event.preventDefault();
    event.stopPropagation();
  };
  const save = () => {
    const parts = drawing();
    if (parts !== null) {
      void savePicture(
        ringFile({ ...parts, sizePx: SIZE_PX, current: -1 }, labels, `${table.title} (${rangeText})`),
        table.id,
      );
    }
  };
  const place = placeOf(current.value);
  return (
    <section class="share-ring" aria-label={`${table.title}: ring`}>
      <div class="table-toolbar">
        {columns.length > 1 && (
          <BarSelect
            label="Parts of the ring"
            choices={columns.map(({ id, title }) => ({ value: id, text: title }))}
            chosen={column.id}
            onChoose={(id) => {
              chosen.value = id;
            }}
          />
        )}
        <span class="topbar-space" />
        {place !== null && (
          <button type="button" class="button is-outlined" onClick={() => goToPlace(links, place)}>
            Show in the timeline
            <GoIcon />
          </button>
        )}
        <button type="button" class="button is-quiet" title="Saves the picture" onClick={save}>
          <DownloadIcon />
          PNG
        </button>
        <CopyButton
          label="Copy as TSV"
          title="Copies the parts, with exact values of rows"
          text={(isRaw) => ringText(parts, column, labels, links.time, isRaw)}
        />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: there is no element for an interactive picture. */}
      <div
        class="share-ring-parts"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys walk from part to part.
        tabIndex={0}
        aria-label={`${table.title}: ${column.title} in ${plural(parts.length, "part")}. Arrow keys walk${model.places.areThere ? ", Enter leads to the timeline" : ""}.`}
        onKeyDown={onKeyDown}
      >
        <canvas
          ref={canvas}
          style={{ width: `${sizePx}px`, height: `${sizePx}px` }}
          onPointerMove={(event) => {
            pointed.value = partOf(event);
          }}
          onPointerLeave={() => {
            pointed.value = -1;
          }}
          onClick={(event) => {
            const part = partOf(event);
            if (part >= 0) {
              focus(part);
            }
          }}
        />
        <ol class="share-ring-list">
          {parts.map((part, k) => (
            <li key={`${part.kind} ${part.row}`}>
              <button
                type="button"
                class={`share-ring-part${k === lit ? " is-lit" : ""}`}
                tabIndex={-1}
                aria-current={k === current.value}
                onPointerEnter={() => {
                  pointed.value = k;
                }}
                onPointerLeave={() => {
                  pointed.value = -1;
                }}
                onClick={() => focus(k)}
              >
                <span
                  class={`share-ring-swatch${part.row < 0 ? " is-rest" : ""}`}
                  style={part.row < 0 ? {} : { "--part": nameColors.colorsOf(names.numbers[part.row]!).fill }}
                />
                <span class="share-ring-name" title={labels[k]!.name}>
                  {cutName(labels[k]!.name, NAME_PX)}
                </span>
                <span>{labels[k]!.size}</span>
                <span class="dim">{labels[k]!.share}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      <span class="visually-hidden" role="status">
        {current.value < 0 ? "" : wordsOf(labels[current.value])}
      </span>
    </section>
  );
}

function wordsOf(label: PartLabel | undefined): string {
  return label === undefined ? "" : `${label.name}: ${[label.size, label.share].filter(Boolean).join(", ")}`;
}
