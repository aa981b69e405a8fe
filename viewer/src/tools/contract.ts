/**
 * Contract of the viewer's pages. A page answers one question about a run; the timeline is the first of them.
 *
 * A page says what it is called, what of the address is its own, which keys it has, and for which runs there is an
 * answer. Its view is loaded when it is first shown, and gets everything that it may do as a `PageContext`.
 */

import type { Manifest, TickRange, ToolQuestion } from "@tilescope/client";
import type { ComponentType } from "preact";
import type { Links } from "../answers/links";
import type { Loaded } from "../components/use-loaded";
import type { Chord } from "../keys/table";
import type { PageRange, PageTexts, RangeKind } from "../state/page";
import type { Trace } from "../state/trace";

export type { PageRange, PageTexts } from "../state/page";

/** Availability of an answer for a run; if there is none, the reason, and what to record to get one. */
export type Availability = { readonly isAvailable: true } | { readonly isAvailable: false; readonly reason: string };

export const AVAILABLE: Availability = { isAvailable: true };

/** Reading the fields of a page from the address and writing them to it; what is malformed is left out when reading. */
export interface PageFields<Fields> {
  parse(texts: PageTexts): Fields;
  format(fields: Fields): PageTexts;
}

/** For pages without fields of their own. */
export const NO_FIELDS: PageFields<null> = { parse: () => null, format: () => ({}) };

/** A key that a page has beside those that all pages have. */
export interface PageShortcut<Action extends string> {
  readonly keys: readonly Chord[];
  readonly action: Action;
  readonly label: string;
}

/** Actions and data of a page. */
export interface PageContext extends Links {
  /** The run, its tracks, and the API of its build. */
  readonly trace: Trace;
  readonly range: PageRange;
  /** The range in words: "steps 5 to 9", "1.2 ms that are selected in the timeline". */
  readonly rangeText: string;
  /** A question about the page's range. What it says itself of its span goes before. */
  inRange(question: ToolQuestion): ToolQuestion;
  /** Selects a span in the timeline without going there; pages whose range is the selection follow. */
  select(span: TickRange): void;
  /** Leads to another page of the same range, with these fields. Back returns to this one. */
  openPage(tool: string, texts: PageTexts): void;
  /** Has all pages look at another range; a new entry in the history. */
  setRange(range: PageRange): void;
}

/** Input of the view of a page. It is drawn anew for another range, other fields, or when the run has grown. */
export interface PageProps<Fields, Action extends string = never> {
  readonly context: PageContext;
  readonly fields: Fields;
  /** Changes the page's part of the address; a new entry in the history. */
  setFields(fields: Fields): void;
  /** Has the page's keys handled until the returned function is called. */
  onKey(handle: (action: Action) => void): () => void;
}

/** Definition of a page, as its author writes it: `definePage` makes a `Page` of it, and `registry.ts` lists that. */
export interface PageDefinition<Fields, Action extends string = never> {
  /** The `tool=` of the address. A page with the id of a tool of the server stands in the place of its generic page. */
  readonly id: string;
  readonly title: string;
  /** One sentence that says what it answers. */
  readonly help: string;
  /** The heading below which the Tools menu lists it. */
  readonly group: string;
  readonly icon: ComponentType;
  readonly keys: readonly PageShortcut<Action>[];
  readonly fields: PageFields<Fields>;
  /** The ranges that its figures can be of, the whole run among them; all where it does not say. */
  readonly ranges?: ReadonlySet<RangeKind>;
  /** Fills the whole window by itself: without the heading, the range switch and the states of the other pages. */
  readonly isBare?: boolean;
  availability(manifest: Manifest): Availability;
  /** Its view: `import()` it here, so that nobody loads it who does not look at it. */
  load(): Loaded<ComponentType<PageProps<Fields, Action>>>;
}

/** The view of any page, for those who do not know its fields. */
export interface AnyPageProps {
  readonly context: PageContext;
  readonly texts: PageTexts;
  setTexts(texts: PageTexts): void;
  onKey(handle: (action: string) => void): () => void;
}

/** A page as menu, address and frame know it. */
export interface Page {
  readonly id: string;
  readonly title: string;
  readonly help: string;
  readonly group: string;
  readonly icon: ComponentType;
  readonly keys: readonly PageShortcut<string>[];
  readonly ranges: ReadonlySet<RangeKind>;
  readonly isBare: boolean;
  availability(manifest: Manifest): Availability;
  load(): Loaded<ComponentType<AnyPageProps>>;
}

/** Input of the frame of pages. */
export interface FrameProps {
  readonly trace: Trace;
  /** Null while it is not known which pages there are, or where there is none of that name. */
  readonly shown: Page | null;
}
