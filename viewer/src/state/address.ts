/** The page's address: what it asks for when the page is loaded and when one goes back, and what writes it, which is loaded late. */

import type { AddressWriter } from "./address-writer";
import { LateCode } from "./late-code";
import { type PageLocation, parseLocation } from "./location";
import type { Pane } from "./pane";
import { unreadParts } from "./shell";

/** Time that the first picture has for itself. */
const WRITER_MS = 300;

export class AddressKeeper {
  readonly initial: PageLocation = parseLocation(location.search, location.hash);
  #pending: PageLocation | null = this.initial;
  readonly #writer: LateCode<AddressWriter>;

  constructor(pane: Pane) {
    this.#writer = new LateCode(async () => {
      const { AddressWriter } = await import("./address-writer");
      return new AddressWriter(pane, () => this.#pending !== null);
    });
    tellUnread();
    setTimeout(() => this.#writer.ask(), WRITER_MS);
  }

  /** Location that the address asked for when this run was opened through it; once. */
  take(run: string): PageLocation | null {
    const wanted = this.#pending;
    this.#pending = null;
    return wanted?.run === run ? wanted : null;
  }

  /** Keeps the location for when a run will be shown. */
  expect(wanted: PageLocation): void {
    this.#pending = wanted;
  }

  /** Drops the location that the address asked for. */
  forget(): void {
    this.#pending = null;
  }

  /** `onTravel` is called when the user goes back or forward. */
  connect(onTravel: (to: PageLocation) => void): void {
    addEventListener("popstate", () => {
      this.#writer.here?.leave();
      tellUnread();
      onTravel(parseLocation(location.search, location.hash));
    });
  }

  /** Makes a change that Back undoes. */
  step(change: () => void): void {
    if (this.#writer.here === null) {
      change();
      this.#writer.ask((writer) => writer.push());
    } else {
      this.#writer.here.step(change);
    }
  }

  /** The view is about to go far: Back leads to where it is now. */
  jump(): void {
    this.#writer.ask((writer) => writer.jump());
  }
}

/** Names what an address says that cannot be read. */
function tellUnread(): void {
  const { hash } = location;
  unreadParts.value = [];
  if (hash !== "") {
    import("./unreadable").then(
      ({ unreadable }) => {
        if (location.hash === hash) {
          unreadParts.value = [...unreadable(hash), ...unreadParts.peek()];
        }
      },
      () => undefined, // the next address tries again
    );
  }
}
