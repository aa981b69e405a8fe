/** Reading of names, loaded as one module: what they mean, and their short forms. */

export { meaningOf } from "./event-meaning";
export { ShortNames } from "./short-name";
