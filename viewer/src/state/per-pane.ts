/** State of a pane that code loaded late keeps: made for each pane when it is first asked for. */

import { untracked } from "@preact/signals";
import type { Pane } from "./pane";

export function perPane<State extends object>(make: (pane: Pane) => State): (pane: Pane) => State {
  const states = new WeakMap<Pane, State>();
  return (pane) => {
    let state = states.get(pane);
    if (state === undefined) {
      state = untracked(() => make(pane));
      states.set(pane, state);
    }
    return state;
  };
}
