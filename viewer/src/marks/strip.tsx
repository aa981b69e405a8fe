/** The tools, how times are written, the list of marks and the link: what of the top bar comes after the first picture. */

import { useEffect, useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import { CheckIcon } from "../components/icons";
import { Menu } from "../components/menu";
import type { ToolMode } from "../keys/gestures";
import { type LateIntent, withKeys } from "../keys/table";
import { changeSettings } from "../state/settings";
import { hasWallClock, timeFormat } from "../state/time-format";
import { toolMode } from "../state/tool-mode";
import type { Trace } from "../state/trace";
import { FlagIcon, LinkIcon, PanIcon, SelectIcon, TimingIcon, ZoomIcon } from "./icons";
import { collection, NO_CLOCK } from "./shown";
import "../styles/marks.css";

const TOOLS: readonly (readonly [ToolMode, LateIntent, string, typeof PanIcon])[] = [
  ["select", "select-tool", "Select: a drag selects a time range", SelectIcon],
  ["pan", "pan-tool", "Pan: a drag moves the timeline", PanIcon],
  ["zoom", "zoom-tool", "Zoom: a drag up zooms in, down zooms out", ZoomIcon],
  ["timing", "timing-tool", "Measure: a drag measures time, a click measures a slice", TimingIcon],
];

const FORMATS = [
  ["relative", "Since the start", "From the first event on: 12.5 ms"],
  ["ticks", "Ticks", "As the trace stores them: integers"],
  ["utc", "UTC", "Wall-clock time"],
] as const;

function TimeMenu({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const shown = pane.shownFormat.value;
  const hasUtc = hasWallClock(trace.manifest.time);
  return (
    <Menu label="Times" choice={FORMATS.find(([format]) => format === shown)![1]}>
      {(close) =>
        FORMATS.map(([format, name, help]) => {
          const isMissing = format === "utc" && !hasUtc;
          return (
            <button
              key={format}
              type="button"
              class="menu-item strip-format"
              role="menuitemradio"
              aria-checked={format === shown}
              aria-disabled={isMissing}
              onClick={() => {
                if (!isMissing) {
                  close();
                  timeFormat.value = format;
                  changeSettings({ timeFormat: format });
                }
              }}
            >
              <span>{format === shown && <CheckIcon />}</span>
              <span class="menu-name">
                {name}
                <span class="strip-help">{isMissing ? NO_CLOCK : help}</span>
              </span>
            </button>
          );
        })
      }
    </Menu>
  );
}

const DONE_MS = 1400;

function LinkButton() {
  const app = useApp();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    const timer = isDone ? setTimeout(() => setDone(false), DONE_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isDone]);
  const label = isDone ? "Link copied" : "Copy a link to what is shown";
  return (
    <button
      type="button"
      class="button is-icon"
      aria-label={label}
      title={withKeys(label, "copy-link")}
      onClick={() => {
        app.act("copy-link");
        setDone(true);
      }}
    >
      {isDone ? <CheckIcon /> : <LinkIcon />}
    </button>
  );
}

export function Strip({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  const count = collection(pane).value?.all.value.length ?? 0;
  return (
    <div class="strip" role="toolbar" aria-label="Tools">
      <div class="strip-tools">
        {TOOLS.map(([mode, intent, label, ToolIcon]) => (
          <button
            key={mode}
            type="button"
            class="button is-icon"
            aria-label={label}
            aria-pressed={toolMode.value === mode}
            title={withKeys(label, intent)}
            onClick={() => app.act(intent)}
          >
            <ToolIcon />
          </button>
        ))}
      </div>
      <TimeMenu trace={trace} />
      <button
        type="button"
        class="button strip-marks"
        aria-pressed={pane.isMarksOpen.value}
        aria-label={`Marks and notes: ${count}`}
        title={withKeys("Marks and notes", "toggle-marks")}
        onClick={() => app.act("toggle-marks")}
      >
        <FlagIcon />
        {count > 0 && <span>{count}</span>}
      </button>
      <LinkButton />
    </div>
  );
}
