/** All runs of the server: grouped by log directory, filtered, sorted. Only what is on the screen is in the page. */

import { useSignal } from "@preact/signals";
import type { Run } from "@tilescope/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { withKeys } from "../keys/table";
import { groupedRuns, linesOf, NEWEST_FIRST, sortedBy } from "../state/run-list";
import { useApp } from "./app-context";
import { formatCount, plural } from "./format";
import { FilterIcon } from "./icons";
import { LINE_PX, RunHead, RunLineRow } from "./run-table";
import "../styles/runs.css";

/** Lines beyond the screen that are in the page, on each side. */
const MARGIN_LINES = 8;

/** `2,000 runs, 3 being indexed, 1 being written, 1 failed`. */
function summary(list: readonly Run[], matches: number): string {
  const written = list.filter(({ growing }) => growing).length;
  const busy = list.filter(({ state, growing }) => state === "indexing" || (state === "queued" && !growing)).length;
  const failed = list.filter(({ state }) => state === "failed").length;
  const all =
    matches < list.length ? `${formatCount(matches)} of ${plural(list.length, "run")}` : plural(matches, "run");
  const counts = [
    [busy, "being indexed"],
    [written, "being written"],
    [failed, "failed"],
  ] as const;
  return [all, ...counts.map(([count, what]) => (count > 0 ? `${formatCount(count)} ${what}` : ""))]
    .filter(Boolean)
    .join(", ");
}

/** In the place of lines that are not in the page. */
function Gap({ lines }: { lines: number }) {
  return lines === 0 ? null : <tr aria-hidden="true" style={{ height: `${lines * LINE_PX}px` }} />;
}

export function RunPage({ list }: { list: readonly Run[] }) {
  const app = useApp();
  const filter = useSignal("");
  const sorting = useSignal(NEWEST_FIRST);
  const top = useSignal(0);
  const height = useSignal(800);
  const stop = useSignal<string | null>(null);
  const isLed = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const measure = () => {
      height.value = box.current!.clientHeight;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  const groups = groupedRuns(list, filter.value, sorting.value);
  const lines = linesOf(groups);
  const matches = lines.length - groups.length;
  const runAt = (index: number) => {
    const line = lines[index];
    return line?.kind === "run" ? line.run : null;
  };
  const first = Math.max(0, Math.min(lines.length - 1, Math.floor(top.value / LINE_PX)) - MARGIN_LINES);
  const end = Math.min(lines.length, Math.ceil((top.value + height.value) / LINE_PX) + MARGIN_LINES);
  // The run that keys go on from; where it is scrolled away, the first that is in the page.
  const isSeen = (index: number) => index >= first && index < end;
  const index = lines.findIndex((line) => line.kind === "run" && line.run.id === stop.value);
  const tabStop = isSeen(index) ? index : lines.findIndex((line, index) => line.kind === "run" && isSeen(index));
  useLayoutEffect(() => {
    if (isLed.current) {
      isLed.current = false;
      box.current!.querySelector<HTMLElement>(`[data-line="${tabStop}"]`)?.focus({ preventScroll: true });
    }
  });
  const open = (run: Run) => app.openRun(run.id);
  /** To the run of a line, or to the next one in a direction. */
  const lead = (index: number, step: 1 | -1) => {
    let to = Math.max(0, Math.min(lines.length - 1, index));
    while (runAt(to) === null && to + step >= 0 && to + step < lines.length) {
      to += step;
    }
    const run = runAt(to);
    if (run === null) {
      return;
    }
    stop.value = run.id;
    isLed.current = true;
    const scroller = box.current!;
    const linePx = to * LINE_PX;
    // Below the head, which is as high as a line. The line above stays in view: it may be that of the folder.
    if (linePx - LINE_PX < scroller.scrollTop) {
      scroller.scrollTop = Math.max(0, linePx - LINE_PX);
    } else if (linePx + 2 * LINE_PX > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = linePx + 2 * LINE_PX - scroller.clientHeight;
    }
    top.value = scroller.scrollTop;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height.value / LINE_PX) - 2);
    const moves: Readonly<Record<string, readonly [number, 1 | -1]>> = {
      ArrowDown: [tabStop + 1, 1],
      ArrowUp: [tabStop - 1, -1],
      PageDown: [tabStop + page, 1],
      PageUp: [tabStop - page, -1],
      Home: [0, 1],
      End: [lines.length - 1, -1],
    };
    const move = moves[event.key];
    if (move !== undefined && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      lead(...move);
    }
  };
  const onFilterKey = (event: KeyboardEvent) => {
    const run = runAt(tabStop);
    if (event.key === "ArrowDown") {
      event.preventDefault();
      lead(tabStop, 1);
    } else if (event.key === "Enter" && run !== null) {
      open(run);
    } else if (event.key === "Escape") {
      filter.value = "";
    }
  };
  return (
    <div class="runs">
      <div class="runs-bar">
        <h2>Runs</h2>
        <span class="runs-count" role="status">
          {summary(list, matches)}
        </span>
        <span class="topbar-space" />
        <button
          type="button"
          class="button is-outlined"
          title={withKeys("Open a file or a folder", "open-file")}
          onClick={() => app.act("open-file")}
        >
          Open a file …
        </button>
        <button
          type="button"
          class="button is-outlined"
          title={withKeys("Capture a trace from a running job", "show-capture")}
          onClick={() => app.act("show-capture")}
        >
          Capture …
        </button>
        <label class="runs-filter">
          <FilterIcon />
          <input
            type="search"
            aria-label="Filter runs"
            placeholder="Filter by name, folder, host or state"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
              stop.value = null;
              box.current!.scrollTop = 0;
            }}
            onKeyDown={onFilterKey}
          />
        </label>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys go from run to run, each of which is a link */}
      <div
        class="runs-scroller"
        role="presentation"
        ref={box}
        onScroll={(event) => {
          top.value = event.currentTarget.scrollTop;
        }}
        onKeyDown={onKeyDown}
      >
        <table class="runs-table" aria-label="Runs" aria-rowcount={lines.length + 1}>
          <RunHead
            sorting={sorting.value}
            sort={(column) => {
              sorting.value = sortedBy(column, sorting.peek());
            }}
          />
          <tbody>
            <Gap lines={first} />
            {lines.slice(first, end).map((line, k) => (
              <RunLineRow
                key={line.kind === "run" ? line.run.id : `folder ${line.folder}`}
                line={line}
                index={first + k}
                isTabStop={first + k === tabStop}
                open={open}
              />
            ))}
            <Gap lines={lines.length - end} />
          </tbody>
        </table>
        {matches === 0 && (
          <p class="runs-nothing">No run has all of these words in its name, folder, hosts or state.</p>
        )}
      </div>
    </div>
  );
}
