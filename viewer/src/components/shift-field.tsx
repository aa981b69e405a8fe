/** Field in the menu of a host: how much later its clock is drawn, tried in this window and in links to it. */

import { formatExactDuration } from "@tilescope/client";
import { useState } from "preact/hooks";
import { parseShift } from "../state/shift-text";
import { ORIGIN_WORDS, shiftOfHost, tryShift } from "../state/shifts";
import type { Trace } from "../state/trace";
import { useApp } from "./app-context";

export function ShiftField({ trace, group, close }: { trace: Trace; group: number; close: () => void }) {
  const { pane } = useApp();
  const { tickPs } = trace.manifest.time;
  const { shiftTicks, origin } = shiftOfHost(pane, group);
  const shown = `${shiftTicks < 0n ? "" : "+"}${formatExactDuration(shiftTicks, tickPs)}`;
  const [isRefused, setRefused] = useState(false);
  const take = (text: string) => {
    const ticks = parseShift(text, tickPs);
    if (ticks === null) {
      setRefused(true);
      return;
    }
    tryShift(pane, group, ticks);
    close();
  };
  return (
    <div class="menu-shift">
      <label>
        <span class="menu-name">Shift of clock, {ORIGIN_WORDS[origin]}</span>
        <input
          type="text"
          spellcheck={false}
          defaultValue={origin === "none" ? "" : shown}
          placeholder="+1.5ms"
          aria-invalid={isRefused}
          aria-describedby={isRefused ? "shift-refused" : undefined}
          title="All of this host is drawn later, or earlier with −, here and in links; the command tilescope shift saves it."
          onInput={() => setRefused(false)}
          onKeyDown={(event) => {
            // Letters are its own; the menu has Escape and the arrows up and down.
            if (event.key === "Enter") {
              event.preventDefault();
              event.stopPropagation();
              take(event.currentTarget.value);
            } else if (!["Escape", "Tab", "ArrowUp", "ArrowDown"].includes(event.key)) {
              event.stopPropagation();
            }
          }}
        />
      </label>
      {isRefused && (
        <span id="shift-refused" role="alert">
          A number and a unit: ps, ns, us, ms or s.
        </span>
      )}
      {origin === "tried" && (
        <button
          type="button"
          class="menu-item"
          onClick={() => {
            tryShift(pane, group, null);
            close();
          }}
        >
          <span />
          <span class="menu-name">Take the shift back</span>
        </button>
      )}
    </div>
  );
}
