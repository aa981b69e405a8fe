/** Legend of the timeline: what its colours, its hatching and the height of its bars mean. A kind of work that is pressed stays in colour alone. */

import type { Pane } from "../state/pane";
import { useApp } from "./app-context";
import "../styles/legend.css";
import { MEANINGS, type Meaning } from "../raster/meaning";
import { type ColorBy, durationColors, meaningColor } from "../raster/palette";
import { colorBy, coloring, shownMeanings, toggleMeaning } from "../state/coloring";
import { theme } from "../state/settings";

const LABELS: Readonly<Record<Meaning, string>> = {
  other: "Other",
  compute: "Compute",
  collective: "Collective",
  copy: "Copy",
  launch: "Launch, sync",
  input: "Input",
  operator: "Operator",
  python: "Python",
  memory: "Memory",
};

const NOTES: Readonly<Record<Meaning, string>> = {
  other: "Steps, annotations, whole programs, and what is not known",
  compute: "Kernels and operations that compute",
  collective: "Communication between devices or hosts",
  copy: "Copies between memories, and to and from the host",
  launch: "Calls of the driver that launch work, and waiting for the device",
  input: "Reading and preparing the next batch, and waiting for it",
  operator: "Operators of the framework",
  python: "Functions of Python",
  memory: "Allocating, freeing and filling memory",
};

const WAYS: readonly (readonly [ColorBy, string])[] = [
  ["meaning", "kind of work"],
  ["name", "name"],
  ["duration", "duration"],
];

/** The kinds that occur, in the order of the table; what is neutral last. */
function presentKinds(pane: Pane): readonly Meaning[] {
  void pane.namesVersion.value;
  const present = pane.session.value?.colors(coloring.value).present;
  return [...MEANINGS.slice(1), MEANINGS[0]].filter((meaning) => present?.has(meaning));
}

export function Legend() {
  return (
    <>
      <label>
        Colour by{" "}
        <select
          value={colorBy.value}
          onChange={(event) => {
            colorBy.value = event.currentTarget.value as ColorBy;
          }}
        >
          {WAYS.map(([way, label]) => (
            <option key={way} value={way}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {colorBy.value === "duration" ? <Durations /> : <Kinds isColored={colorBy.value === "meaning"} />}
      <span class="legend-space" />
      <span
        class="legend-shape"
        title="So many events are in so few pixels that they are drawn together: zoom in to see each"
      >
        <i class="legend-hatched" />
        Hatched: several events
      </span>
      <span class="legend-shape" title="The height of a bar is the part of its time that is busy">
        <i class="legend-bars" />
        Height: busy part
      </span>
    </>
  );
}

function Kinds({ isColored }: { isColored: boolean }) {
  const { pane } = useApp();
  const chosen = shownMeanings.value;
  return (
    <fieldset class="legend-kinds" aria-label="Kinds of work">
      {presentKinds(pane).map((meaning) => (
        <button
          key={meaning}
          type="button"
          aria-pressed={chosen?.has(meaning) ?? false}
          class={chosen === null || chosen.has(meaning) ? undefined : "is-off"}
          title={`${NOTES[meaning]}. Click: ${chosen?.has(meaning) ? "no longer in colour" : "only this in colour, and what else is chosen"}`}
          onClick={() => toggleMeaning(meaning)}
        >
          {isColored && <i style={{ background: meaningColor(meaning, theme.value) }} />}
          {LABELS[meaning]}
        </button>
      ))}
      {chosen !== null && (
        <button
          type="button"
          onClick={() => {
            shownMeanings.value = null;
          }}
        >
          All
        </button>
      )}
    </fieldset>
  );
}

function Durations() {
  return (
    <span class="legend-kinds" title="Each colour is a decade; a bin has the colour of the mean of its events">
      Shorter than 1 µs
      <span class="legend-ramp">
        {durationColors(theme.value).map((color) => (
          <i key={color} style={{ background: color }} />
        ))}
      </span>
      1 s and longer
    </span>
  );
}
