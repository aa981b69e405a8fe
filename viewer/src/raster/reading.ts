/** Reading of names: what they mean, and their short forms. All others import it from here, so that it is one file. */

export { meaningOf } from "./event-meaning";
export { ShortNames, stemOf } from "./short-name";
