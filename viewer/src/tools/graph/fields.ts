/** The part of the address that is the graph's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export const DISTANCES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

export interface GraphFields {
  /** Name or id; empty: the largest one. */
  readonly program: string;
  /** In the middle; empty: the program's result. */
  readonly instruction: string;
  readonly distance: number;
  /** Names of the open instructions. */
  readonly open: readonly string[];
  readonly find: string;
}

const DISTANCE = 3;
const MOST_CHARACTERS = 1000;

const text = (value: string | undefined) => (value ?? "").slice(0, MOST_CHARACTERS);

export const FIELDS: PageFields<GraphFields> = {
  parse: ({ program, instruction, distance, open, find }) => ({
    program: text(program),
    instruction: text(instruction),
    distance: DISTANCES.find((choice) => String(choice) === distance) ?? DISTANCE,
    open: text(open)
      .split(",")
      .filter((name) => name !== ""),
    find: text(find),
  }),
  format: ({ program, instruction, distance, open, find }) => ({
    ...(program === "" ? {} : { program }),
    ...(instruction === "" ? {} : { instruction }),
    ...(distance === DISTANCE ? {} : { distance: String(distance) }),
    ...(open.length === 0 ? {} : { open: open.join(",") }),
    ...(find === "" ? {} : { find }),
  }),
};
