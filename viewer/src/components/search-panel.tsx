/** Result of a search: how many events, how long, by which names; the way from hit to hit; help for queries. */

import { formatDuration, formatExactDuration } from "@tilescope/client";
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { withKeys } from "../keys/table";
import { ShortNames } from "../raster/reading";
import { link } from "../state/link";
import type { Pane } from "../state/pane";
import { isSearchOpen, query, typedQuery } from "../state/query";
import { exactlyOf } from "../state/query-text";
import { type Found, type FoundName, faultAt, isPlaceAlone, searchState } from "../state/search";
import type { CountedKinds } from "../state/search-kinds";
import type { Trace } from "../state/trace";
import { typedPlace } from "../state/typed-place";
import { useApp } from "./app-context";
import { formatCount, plural } from "./format";
import { goToTypedPlace, placeLabel, reasonAgainstPlace } from "./go-to-place";
import { CloseIcon, DownIcon } from "./icons";
import { LaneCount, LaneHits, useLaneSearch } from "./lane-hits";
import { SearchHelp } from "./search-help";
import { kindsOfTyped, SearchKinds } from "./search-kinds";
import "../styles/search.css";

/** Characters of a name that there is room for. */
const MOST_CHARACTERS = 40;

interface Seen {
  /** Null before the first answer. */
  readonly value: Found | null;
  /** True while the result of the search before is shown, and this one is on its way. */
  readonly isStale: boolean;
  readonly isSlow: boolean;
  readonly failure: string | null;
}

const NOTHING_SEEN: Seen = { value: null, isStale: false, isSlow: false, failure: null };

function seen(pane: Pane): Seen {
  const state = searchState(pane).searchResult.value;
  switch (state.kind) {
    case "none":
    case "cancelled":
      return NOTHING_SEEN;
    case "answered":
      return { ...NOTHING_SEEN, value: state.answer };
    case "failed":
      return { ...NOTHING_SEEN, failure: state.failure.message };
    case "waiting": {
      // A run that grows is asked again and again: what was found of it so far still holds.
      const isStale = state.stale !== null && state.stale.key !== state.key;
      const isSlow = state.patience !== "quiet";
      return { ...NOTHING_SEEN, value: state.stale?.answer ?? null, isStale, isSlow };
    }
  }
}

export function SearchPanel({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  const now = seen(pane);
  const [wantsHelp, setHelp] = useState(false);
  useLaneSearch(trace);
  useEffect(() => leaveByPress(), []);
  useEffect(() => enterByKey(), []);
  const isEmpty = query.value === "" && typedQuery.value.trim() === "";
  // What is typed is ahead of what is searched for.
  const isPlace = isPlaceAlone(pane, trace, typedQuery.value);
  return (
    <>
      {!isEmpty && !isPlace && <HitCount now={now} />}
      {!isEmpty && (
        <>
          <StepButton intent="previous-hit" label="Previous hit" isPossible={hasHits(now)} />
          <StepButton intent="next-hit" label="Next hit" isPossible={hasHits(now)} />
          <button
            type="button"
            class="button is-icon search-button"
            aria-label="Clear the search"
            title={withKeys("Clear the search", "clear-search")}
            onClick={() => app.act("clear-search")}
          >
            <CloseIcon />
          </button>
        </>
      )}
      {isSearchOpen.value && (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys of what is in it
        <div class="search-panel" onKeyDown={(event) => walkNames(event, () => app.act("clear-search"))}>
          {link.value.kind === "down" && (
            <p class="search-line is-bad">Disconnected: the search goes on when the server is back.</p>
          )}
          {isEmpty ? (
            <SearchHelp onChoose={choose} />
          ) : (
            <>
              <PlaceEntry trace={trace} />
              {!isPlace && <Results trace={trace} now={now} />}
              <SearchKinds trace={trace} onChosen={focusBox} />
              <LaneHits trace={trace} />
              <button type="button" class="search-more" aria-expanded={wantsHelp} onClick={() => setHelp(!wantsHelp)}>
                Search syntax
              </button>
              {wantsHelp && <SearchHelp onChoose={choose} />}
            </>
          )}
        </div>
      )}
    </>
  );
}

/** The place that is typed, if it is one: Enter in the box goes there, too. */
function PlaceEntry({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane } = app;
  const place = typedPlace(typedQuery.value, trace.manifest.time);
  const reason = place === null ? null : reasonAgainstPlace(pane, place, trace);
  const isPlace = place !== null && reason === null;
  const go = () => {
    if (place !== null) {
      app.act("clear-search");
      void goToTypedPlace(app, trace, place);
    }
  };
  // Before the box takes it for the way to the next hit, and before the next key.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isInBox = (event.target as Element).matches(".search-box input");
      if (isPlace && isInBox && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        event.stopPropagation();
        go();
      }
    };
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  });
  if (place === null) {
    return null;
  }
  return (
    <button type="button" class="search-name search-place" disabled={!isPlace} onClick={go}>
      <span>{placeLabel(pane, place, trace)}</span>
      <small>{reason ?? "Enter"}</small>
    </button>
  );
}

/** A press elsewhere closes the list, and keys are for what was pressed. Returns what ends that. */
function leaveByPress(): () => void {
  const onPress = ({ target }: PointerEvent) => {
    if ((target as Element).closest(".search-box") === null) {
      isSearchOpen.value = false;
      document.querySelector<HTMLElement>(".search-box input:focus")?.blur();
    }
  };
  document.addEventListener("pointerdown", onPress, true);
  return () => {
    document.removeEventListener("pointerdown", onPress, true);
    isSearchOpen.value = false;
  };
}

/** The arrow down leads from the box into the list. Returns what ends that. */
function enterByKey(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" && (event.target as Element).matches(".search-box input")) {
      event.preventDefault();
      isSearchOpen.value = true;
      requestAnimationFrame(() => document.querySelector<HTMLElement>(".search-panel button:enabled")?.focus());
    }
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/** Puts a text into the box, and the focus with it. */
function choose(text: string): void {
  typedQuery.value = text;
  focusBox();
}

function focusBox(): void {
  document.querySelector<HTMLElement>(".search-box input")?.focus();
}

function hasHits({ value, failure }: Seen): boolean {
  return failure === null && value !== null && value.count > 0n;
}

/** `3 of 1,234` while one is at a hit, or how many there are. */
function HitCount({ now }: { now: Seen }) {
  const { pane } = useApp();
  const { value, failure, isStale } = now;
  const index = searchState(pane).currentHit.value?.index ?? null;
  const text =
    failure !== null
      ? "?"
      : value === null
        ? "…"
        : index !== null && value.count > 0n
          ? `${formatCount(index)} of ${formatCount(value.count)}`
          : plural(value.count, "hit");
  return (
    <output class={isStale ? "search-count is-former" : "search-count"} aria-label="Hits">
      {text}
    </output>
  );
}

function StepButton(props: { intent: "next-hit" | "previous-hit"; label: string; isPossible: boolean }) {
  const app = useApp();
  const { intent, label, isPossible } = props;
  return (
    <button
      type="button"
      class={intent === "next-hit" ? "button is-icon search-button" : "button is-icon search-button is-up"}
      aria-label={label}
      title={withKeys(label, intent)}
      disabled={!isPossible}
      onClick={() => app.act(intent)}
    >
      <DownIcon />
    </button>
  );
}

function Results({ trace, now }: { trace: Trace; now: Seen }) {
  const { value, isStale, isSlow, failure } = now;
  if (failure !== null) {
    return <Failure message={failure} />;
  }
  if (value === null) {
    return (
      <p class="search-line" data-search="waiting">
        {isSlow ? "Searching all events of the run …" : "\u00a0"}
      </p>
    );
  }
  return (
    <div class={isStale ? "is-former" : undefined} aria-busy={isStale} data-search={isStale ? "stale" : "found"}>
      <Summary trace={trace} value={value} />
      {value.names.length > 0 && <Names trace={trace} value={value} />}
    </div>
  );
}

function Summary({ trace, value }: { trace: Trace; value: Found }) {
  const { pane } = useApp();
  const { tickPs } = trace.manifest.time;
  const { count, busyTicks, names, rest, isComplete } = value;
  const exact = formatExactDuration(busyTicks, tickPs);
  return (
    <>
      <p class="search-line">
        {count === 0n ? (
          <>
            <strong>{noHits(kindsOfTyped(pane, trace))}</strong>
            <LaneCount />
          </>
        ) : (
          <>
            <strong>{plural(count, "event")}</strong>
            <span title={`${exact}: each event by itself`}>{formatDuration(busyTicks, tickPs)} in all</span>
            <span>{rest === null ? plural(BigInt(names.length), "name") : `more than ${names.length} names`}</span>
            <LaneCount />
          </>
        )}
      </p>
      {!isComplete && <p class="search-line">The run is still being indexed: so far.</p>}
      {searchState(pane).walkNote.value !== "" && (
        <p class="search-line" role="status">
          {searchState(pane).walkNote.value}
        </p>
      )}
    </>
  );
}

function noHits({ kinds, isCounting }: CountedKinds): string {
  return kinds.length > 0 ? "No name matches." : isCounting ? "No event is found yet." : "No event is found.";
}

function Names({ trace, value }: { trace: Trace; value: Found }) {
  const { names, rest } = value;
  const forms = useMemo(() => {
    const short = new ShortNames();
    short.add(names.map(({ name }) => name));
    return short;
  }, [names]);
  const most = names.reduce((sum, { busyTicks }) => (busyTicks > sum ? busyTicks : sum), 0n);
  return (
    <div class="search-names">
      <table aria-label="Names">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Events</th>
            <th scope="col">Total</th>
          </tr>
        </thead>
        <tbody>
          {names.map((entry) => (
            <NameLine key={`${entry.name}\n${entry.category}`} trace={trace} entry={entry} forms={forms} most={most} />
          ))}
        </tbody>
      </table>
      {rest !== null && (
        <p class="search-line">
          Other names: {plural(rest.count, "event")},{" "}
          {formatDuration(rest.busyTicks as typeof value.busyTicks, trace.manifest.time.tickPs)}
        </p>
      )}
    </div>
  );
}

interface NameLineProps {
  readonly trace: Trace;
  readonly entry: FoundName;
  readonly forms: ShortNames;
  readonly most: bigint;
}

function NameLine({ trace, entry, forms, most }: NameLineProps) {
  const app = useApp();
  // Names with one beginning would read alike where they are cut.
  const { head, tail } = forms.inRoom(entry.name, MOST_CHARACTERS);
  const share = most === 0n ? 0 : Number((1000n * entry.busyTicks) / most) / 10;
  return (
    <tr>
      <td>
        <button
          type="button"
          class="search-name"
          title={entry.name}
          onClick={() => {
            app.search(exactlyOf(entry.name, entry.category));
            focusBox();
          }}
        >
          <span>{head === "" ? "[no name]" : head}</span>
          {tail !== "" && <span class="search-tail">{tail}</span>}
          {entry.category !== "" && <small>{entry.category}</small>}
        </button>
      </td>
      <td>{formatCount(entry.count)}</td>
      <td title={formatExactDuration(entry.busyTicks, trace.manifest.time.tickPs)}>
        <i style={{ width: `${share}%` }} />
        {formatDuration(entry.busyTicks, trace.manifest.time.tickPs)}
      </td>
    </tr>
  );
}

/** Fault of a query and its place in it: the server says both. */
function Failure({ message }: { message: string }) {
  const text = query.value;
  const position = faultAt(message);
  if (position === null) {
    return (
      <p class="search-line is-bad" role="alert">
        {message}
      </p>
    );
  }
  return (
    <div class="search-fault" role="alert">
      <p class="search-line is-bad">{message}</p>
      <code>
        {text.slice(0, position)}
        <mark>{text.slice(position, position + 1) || "\u00a0"}</mark>
        {text.slice(position + 1)}
      </code>
    </div>
  );
}

/** Arrow keys walk through the buttons of the panel. */
function walkNames(event: KeyboardEvent, clear: () => void): void {
  if (event.key === "Escape") {
    event.preventDefault();
    clear();
    return;
  }
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step !== 0) {
    event.preventDefault();
    const buttons = [...document.querySelectorAll<HTMLElement>(".search-box input, .search-panel button:enabled")];
    const index = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, index + step))]?.focus();
  }
}
