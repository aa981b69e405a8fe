/** The colours of a run of which only some names keep theirs: the others are near to the ground. */

import { ColorTable } from "./palette";

export class DimmedColors extends ColorTable {
  readonly #colors: ColorTable;
  readonly #keeps: (id: number) => boolean;
  readonly #table: Uint32Array;
  readonly #neutral: number;
  readonly #dimText: string;

  /** `ground` is packed as `0x00bbggrr`; of dimmed colours so much is left, and their texts are `dimText`. */
  constructor(colors: ColorTable, keeps: (id: number) => boolean, ground: number, left: number, dimText: string) {
    super(colors.theme);
    this.#colors = colors;
    this.#keeps = keeps;
    this.#dimText = dimText;
    this.#neutral = mixed(colors.neutral, ground, left);
    this.#table = colors.table.map((color, id) => (keeps(id) ? color : mixed(color, ground, left)));
  }

  override get table(): Uint32Array {
    return this.#table;
  }

  override get neutral(): number {
    return this.#neutral;
  }

  override css(id: number): string {
    return this.#colors.css(id);
  }

  override text(id: number): string {
    return this.#keeps(id) ? this.#colors.text(id) : this.#dimText;
  }
}

/** Channel by channel. */
function mixed(color: number, ground: number, left: number): number {
  let found = 0;
  for (const shift of [0, 8, 16]) {
    const from = (ground >> shift) & 255;
    const to = (color >> shift) & 255;
    found |= Math.round(from + (to - from) * left) << shift;
  }
  return found;
}
