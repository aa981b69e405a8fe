/** Kinds of work that events are coloured by. */

/** Steps, annotations, whole programs and what is not known are `other`. */
export const MEANINGS = [
  "other",
  "compute",
  "collective",
  "copy",
  "launch",
  "input",
  "operator",
  "python",
  "memory",
] as const;

export type Meaning = (typeof MEANINGS)[number];

/** The event part of a name entry. */
export interface NamedEvent {
  readonly name: string;
  readonly category: string;
}
