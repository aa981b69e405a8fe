/** Names of the rows of a table as small numbers, with their short forms; events have their colours in the timeline, others shades. */

import type { ToolTable } from "@tilescope/client";
import { ColorTable, type Theme } from "../../raster/palette";
import { meaningOf, ShortNames } from "../../raster/reading";
import type { ShortForm } from "../../raster/short-name";
import type { Figure } from "../figures";
import { NO_NODE } from "./node-tree";
import { shadeLook } from "./shades";

export class RowNames {
  /** The number of the name of each row. */
  readonly numbers: Int32Array;
  readonly #texts: string[] = [];
  readonly #categories: string[] = [];
  #forms: ShortNames | null = null;

  /** True if they are names of events, whose colours are those of the timeline. */
  readonly areEvents: boolean;

  /** `trackPath`: names of tracks, which rows have that have no name of their own. */
  constructor(table: ToolTable, trackPath: (track: number) => readonly string[] = () => []) {
    const column =
      table.columns.find(({ kind }) => kind === "name") ?? table.columns.find(({ kind }) => kind === "text");
    this.areEvents = column?.kind === "name";
    const categories = table.columns.find(({ id, kind }) => id === "category" && kind === "text")?.values;
    const numbers = new Map<string, number>();
    const tracks = table.columns.filter(({ kind }) => kind === "track").map(({ values }) => values);
    const pathOf = (track: Figure) => (typeof track === "number" ? trackPath(track).slice(-2).join(" › ") : "");
    const values =
      column?.values ??
      (table.columns[0]?.values ?? []).map((_, row) => {
        const paths = tracks.map((ids) => pathOf(ids[row] ?? null));
        return paths.some((path) => path !== "") ? paths.join(" → ") : null;
      });
    this.numbers = Int32Array.from(values, (value, row) => {
      const text = value === null || value === "" ? "(none)" : String(value);
      let number = numbers.get(text);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(text, number);
        this.#texts.push(text);
        this.#categories.push(String(categories?.[row] ?? ""));
      }
      return number;
    });
  }

  text(row: number): string {
    return row === NO_NODE ? "" : (this.#texts[this.numbers[row]!] ?? "");
  }

  /** The short form of a row's name, as labels of the timeline have it. */
  form(row: number): ShortForm {
    if (this.#forms === null) {
      this.#forms = new ShortNames();
      this.#forms.add(this.#texts);
    }
    return this.#forms.form(this.text(row));
  }

  /** The names that contain a text, by number; null: none is looked for. */
  matching(text: string): Uint8Array | null {
    const wanted = text.trim().toLowerCase();
    return wanted === "" ? null : Uint8Array.from(this.#texts, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
  }

  event(number: number): { readonly name: string; readonly category: string } {
    return { name: this.#texts[number]!, category: this.#categories[number]! };
  }
}

/** Colours of names, which are made when they are first seen. Names of no events have shades without a hue: no kind of work looks like them. */
export class NameColors {
  readonly #names: RowNames;
  readonly #theme: Theme;
  readonly #table: ColorTable;
  readonly #made = new Set<number>();
  readonly #shades = new Map<number, number>();

  constructor(names: RowNames, theme: Theme) {
    this.#names = names;
    this.#theme = theme;
    this.#table = new ColorTable({ theme, by: "meaning", only: null });
  }

  /** Colour of a name, and of text on it. */
  colorsOf(number: number): { readonly fill: string; readonly text: string } {
    if (!this.#names.areEvents) {
      const shade = this.#shades.get(number) ?? this.#shades.size;
      this.#shades.set(number, shade);
      return shadeLook(shade, this.#theme);
    }
    if (!this.#made.has(number)) {
      this.#made.add(number);
      this.#table.set(number, [this.#names.event(number)], meaningOf);
    }
    return { fill: this.#table.css(number), text: this.#table.text(number, 0) };
  }
}
