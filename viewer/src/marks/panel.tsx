/** The list of marks: go to one, name it, colour it, say which tracks it is about, remove it. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../components/app-context";
import { plural } from "../components/format";
import { CloseIcon } from "../components/icons";
import { DockButton } from "../details/head";
import { keysOf, withKeys } from "../keys/table";
import type { Trace } from "../state/trace";
import type { KeepState } from "./keeper";
import type { MarkCollection } from "./mark-collection";
import { MarkRow } from "./row";
import { collection } from "./shown";
import "../styles/drawer.css";
import "../styles/marks.css";

/** Note on where marks are kept. */
function KeepNote({ shown, state }: { shown: MarkCollection; state: KeepState }) {
  const inAddress = shown.all.value.filter(({ home }) => home === "address" || home === "page");
  const pageOnly = inAddress.filter(({ home }) => home === "page").length;
  const note = (text: ComponentChildren, kind: "plain" | "bad" = "plain") => (
    <p class={kind === "bad" ? "marks-note is-bad" : "marks-note"} role={kind === "bad" ? "alert" : undefined}>
      {text}
    </p>
  );
  const room =
    pageOnly > 0 &&
    note(
      `The address has no room for ${plural(pageOnly, "mark")}: ${pageOnly === 1 ? "it is" : "they are"} in this page alone, and gone when it is closed.`,
      "bad",
    );
  const offer = shown.keeper.isWritable.value && inAddress.length > 0 && (
    <p class="marks-note">
      {plural(inAddress.length, "mark")} came with the address.{" "}
      <button type="button" class="link" onClick={() => shown.keepAll()}>
        Keep {inAddress.length === 1 ? "it" : "them"} beside the run
      </button>
    </p>
  );
  const twice = shown.keeper.twice.value;
  const both =
    twice > 0 &&
    note(
      `${plural(twice, "mark")} of yours ${twice === 1 ? "was" : "were"} changed by somebody else at the same time: both versions are here. Remove the one that is wrong.`,
    );
  return (
    <>
      {stateNote(state, note)}
      {room}
      {offer}
      {both}
    </>
  );
}

function stateNote(state: KeepState, note: (text: ComponentChildren, kind?: "plain" | "bad") => ComponentChildren) {
  switch (state.kind) {
    case "loading":
      return note("Loading the marks of the server …");
    case "read-only":
      return note(
        <>
          This server keeps no marks: yours are in the address of this page, and in links that you copy. A server that
          was started with <code>--allow-notes</code> keeps them beside the run.
        </>,
      );
    case "saved":
      return note("Marks are kept beside the run, for everybody who opens it.");
    case "saving":
      return note("Saving …");
    case "unsaved":
      return note(
        state.isAway
          ? "The server does not answer. What you change is in the address of this page until it is back, and is saved then."
          : `Your last change could not be saved, it is in the address of this page: ${state.message}`,
        "bad",
      );
    case "unknown":
      return note(
        state.isAway
          ? "The server does not answer: the marks that it keeps are not shown. Yours are in the address of this page."
          : `The marks that the server keeps cannot be read: ${state.message}. Yours are in the address of this page.`,
        "bad",
      );
  }
}

function Empty() {
  return (
    <div class="marks-empty">
      <p>No marks yet.</p>
      <ul>
        <li>
          Select a slice or a time range and press <kbd>{keysOf("keep-mark")}</kbd>, or press it where you point.
        </li>
        <li>
          <kbd>{keysOf("mark").split(" ")[0]}</kbd> marks it for the moment only; <kbd>Del</kbd> removes a mark.
        </li>
        <li>A mark takes a name, a note of several lines and a colour, here in this list.</li>
      </ul>
    </div>
  );
}

export function MarksPanel({ trace }: { trace: Trace }) {
  const app = useApp();
  const { pane, name } = app;
  const list = useRef<HTMLUListElement>(null);
  const shown = collection(pane).value;
  const marks = shown?.all.value ?? [];
  const current = shown?.current.value ?? null;
  useEffect(() => {
    // The list is loaded with the marks, but for a page whose server has gone in between.
    void app.loadMarks().catch(() => undefined);
  }, [app]);
  useEffect(() => {
    list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const removed = shown?.removed.value ?? null;
  return (
    <section class="drawer marks" aria-label={`Marks and notes ${name}`.trim()}>
      <div class="drawer-head">
        <h2 class="drawer-title">Marks and notes</h2>
        {removed !== null && (
          <button type="button" class="button is-outlined" onClick={() => shown?.undo()}>
            Bring back {removed.name === "" ? "the last one" : `“${removed.name.split("\n")[0]!.slice(0, 24)}”`}
          </button>
        )}
        <button
          type="button"
          class="button is-outlined"
          title={withKeys("Marks what is selected, or the moment that you point at", "keep-mark")}
          onClick={() => app.act("keep-mark")}
        >
          Mark the selection
        </button>
        <DockButton />
        <button
          type="button"
          class="button is-icon"
          aria-label="Close"
          title={withKeys("Close", "toggle-marks")}
          onClick={() => {
            pane.isMarksOpen.value = false;
          }}
        >
          <CloseIcon />
        </button>
      </div>
      {shown !== null && (
        <div class="marks-body">
          {marks.length === 0 ? (
            <Empty />
          ) : (
            <ul class="marks-list" ref={list} aria-label="Marks, by time">
              {marks.map((mark) => (
                <MarkRow key={mark.id} mark={mark} shown={shown} trace={trace} isCurrent={mark.id === current} />
              ))}
            </ul>
          )}
          <KeepNote shown={shown} state={shown.keeper.state.value} />
        </div>
      )}
    </section>
  );
}
