/** The second timeline, its divider, and the bars above both that say which run each shows and how they are aligned. Loaded late. */

import { formatDuration } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { AppProvider } from "../components/app-context";
import { CloseIcon } from "../components/icons";
import { Splitter } from "../components/splitter";
import { withKeys } from "../keys/table";
import { type Alignment, BY_START } from "../state/alignment";
import { setRoot } from "../state/pane-root";
import { runIdOf } from "../state/run";
import { runs } from "../state/runs";
import { SPLIT_PERCENT } from "../state/split";
import type { PaneApp } from "./pane-app";
import type { Panes } from "./panes";
import "../styles/panes.css";

/** Windows narrower than this have the second timeline below the first; `styles/panes.css` says so, too. */
const NARROW = "(max-width: 899px)";

interface HeadProps {
  readonly app: PaneApp;
  readonly panes: Panes;
  readonly children?: ComponentChildren;
}

/** Bar above a pane: its run, and of the second how it is aligned. */
export function PaneHead({ app, panes, children }: HeadProps) {
  const isSecond = children !== undefined;
  const shown = app.pane.runView.value;
  const id = runIdOf(shown);
  const list = runs.value ?? [];
  const isActive = panes.isActive(app);
  return (
    <div class={isActive ? "pane-head is-active" : "pane-head"}>
      <span class="pane-number">{isSecond ? "2" : "1"}</span>
      <select
        class="pane-run"
        aria-label={isSecond ? "Run of the second timeline" : "Run of the first timeline"}
        value={id ?? ""}
        onFocus={() => app.refreshRuns()}
        onChange={(event) => app.openRun(event.currentTarget.value)}
      >
        {!list.some((run) => run.id === id) && (
          <option value={id ?? ""}>{shown.kind === "open" ? shown.trace.manifest.name : (id ?? "Choose a run")}</option>
        )}
        {list.map((run) => (
          <option key={run.id} value={run.id}>
            {run.name}
          </option>
        ))}
      </select>
      {children}
    </div>
  );
}

const KINDS: readonly (readonly [Alignment["kind"], string])[] = [
  ["start", "by start"],
  ["step", "by step"],
  ["event", "by selected events"],
  ["hand", "as they stand"],
  ["off", "not at all"],
];

/** Choice of the alignment, and the distance that follows from it. */
function AlignmentChoice({ panes }: { panes: Panes }) {
  const alignment = panes.alignment.value;
  const selected = panes.bySelected();
  const choose = (kind: string) => {
    const choices: Readonly<Record<string, () => Alignment | null>> = {
      start: () => BY_START,
      event: () => selected,
      hand: () => panes.asTheyStand(),
      off: () => ({ kind: "off" }),
    };
    if (kind === "step") {
      void panes.alignFirstSteps();
      return;
    }
    const chosen = choices[kind]?.() ?? null;
    if (chosen !== null) {
      panes.align(chosen);
    }
  };
  return (
    <>
      <label class="pane-field">
        <span>Aligned</span>
        <select
          value={alignment.kind}
          onChange={({ currentTarget }) => {
            choose(currentTarget.value);
            // Until it is chosen, if it ever is: a run may have no steps.
            currentTarget.value = panes.alignment.peek().kind;
          }}
        >
          {KINDS.map(([kind, text]) => (
            <option
              key={kind}
              value={kind}
              disabled={kind === "event" && alignment.kind !== "event" && selected === null}
            >
              {kind === "event" && selected === null ? "by selected events: select one in each" : text}
            </option>
          ))}
        </select>
      </label>
      {alignment.kind === "event" && selected !== null && (
        <button type="button" class="button" onClick={() => panes.align(selected)}>
          Align these
        </button>
      )}
      {alignment.kind === "step" && (
        <>
          <StepField
            label="Step of the first timeline"
            value={alignment.first}
            onChange={(first) => panes.align({ ...alignment, first })}
          />
          <StepField
            label="Step of the second timeline"
            value={alignment.second}
            onChange={(second) => panes.align({ ...alignment, second })}
          />
        </>
      )}
      <Distance panes={panes} />
    </>
  );
}

interface StepFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (step: string) => void;
}

function StepField({ label, value, onChange }: StepFieldProps) {
  return (
    <input
      class="pane-step"
      type="text"
      inputMode="numeric"
      aria-label={label}
      title={label}
      value={value}
      onChange={(event) => {
        const step = event.currentTarget.value.trim();
        if (/^\d{1,18}$/.test(step)) {
          onChange(step);
        } else {
          event.currentTarget.value = value;
        }
      }}
    />
  );
}

/** Distance between the times that stand at one place. */
function Distance({ panes }: { panes: Panes }) {
  const problem = panes.problem.value;
  const offsetPs = panes.offsetPs.value;
  if (problem !== "") {
    return (
      <span class="pane-distance is-bad" role="status" title={problem}>
        {problem}
      </span>
    );
  }
  if (offsetPs === null) {
    return null;
  }
  const size = formatDuration(offsetPs < 0n ? -offsetPs : offsetPs, 1);
  return (
    <span class="pane-distance" title="Time of the second timeline at one place, compared with that of the first">
      {offsetPs === 0n ? "same time" : `${size} ${offsetPs > 0n ? "later" : "earlier"}`}
    </span>
  );
}

interface SecondProps {
  readonly app: PaneApp;
  readonly panes: Panes;
  readonly children: ComponentChildren;
}

/** True if the window is too narrow for two timelines side by side. */
function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useLayoutEffect(() => {
    const query = matchMedia(NARROW);
    const look = () => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}

export function SecondPane({ app, panes, children }: SecondProps) {
  const { side, percent } = panes.split.value;
  const isBeside = side === "beside" && !useNarrow();
  const box = useRef<HTMLElement>(null);
  const title = useId();
  const isSameRun = runIdOf(app.pane.runView.value) === runIdOf(app.mainPane.runView.value);
  useLayoutEffect(() => {
    setRoot(app.pane, box.current!);
    box.current!.parentElement!.style.setProperty("--first-part", `${percent}%`);
  }, [app, percent]);
  const [wholePx, setWhole] = useState(1000);
  useLayoutEffect(() => {
    const whole = box.current!.parentElement!;
    const measure = () => setWhole(Math.max(1, isBeside ? whole.clientWidth : whole.clientHeight));
    const observer = new ResizeObserver(measure);
    observer.observe(whole);
    measure();
    return () => observer.disconnect();
  }, [isBeside]);
  return (
    <section class={isSameRun ? "pane is-second is-same-run" : "pane is-second"} ref={box} aria-labelledby={title}>
      <Splitter
        axis={isBeside ? "x" : "y"}
        label={isBeside ? "Width of the first timeline" : "Height of the first timeline"}
        valuePx={Math.round((percent / 100) * wholePx)}
        limits={{
          min: Math.round((SPLIT_PERCENT.min / 100) * wholePx),
          max: Math.round((SPLIT_PERCENT.max / 100) * wholePx),
        }}
        sign={1}
        onChange={(valuePx) => panes.resize(Math.round((100 * valuePx) / wholePx))}
        onReset={() => panes.resize(50)}
      />
      <h2 id={title} class="visually-hidden">
        Second timeline
      </h2>
      <PaneHead app={app} panes={panes}>
        <AlignmentChoice panes={panes} />
        <span class="pane-space" />
        <button
          type="button"
          class="button"
          title={withKeys(
            side === "beside" ? "Second timeline below the first" : "Second timeline beside the first",
            side === "beside" ? "split-below" : "split-beside",
          )}
          onClick={() => panes.act(side === "beside" ? "split-below" : "split-beside")}
        >
          {side === "beside" ? "Below" : "Beside"}
        </button>
        <button
          type="button"
          class="button is-icon"
          aria-label="Close the second timeline"
          title={withKeys("Close the second timeline", "close-second")}
          onClick={() => panes.close()}
        >
          <CloseIcon />
        </button>
      </PaneHead>
      <AppProvider value={app}>{children}</AppProvider>
    </section>
  );
}
