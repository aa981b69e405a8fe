/** Parts of an address that could not be read. Loaded late: the status bar says it. */

import { PART_NAMES, parseLocation, VERSION } from "./location";
import { formatLocation } from "./location-text";

/** Values that say what is so without them: nobody misses them. */
const PLAIN: ReadonlySet<string> = new Set(["in=run", "mode=select", "time=relative", "color=meaning", "empty=0"]);

/** Texts as somebody wrote them: what is too long is cut. */
const TEXTS: ReadonlySet<string> = new Set(["host", "q", "filter", "marks", ...PART_NAMES]);

/** Parts of a fragment that an address reads as nothing, or of which it reads less than they say: `t=450000000`. */
export function unreadable(hash: string): readonly string[] {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const read = new Map(new URLSearchParams(formatLocation(parseLocation("", hash)).replace(/^#/, "")));
  const isOurs = values.get("v") === VERSION;
  return [...values].flatMap(([name, text]) => {
    const kept = isOurs ? read.get(name) : undefined;
    const isWhole = TEXTS.has(name)
      ? kept === text
      : kept !== undefined && kept.split(",").length >= new Set(text.split(",")).size;
    return isWhole || text === "" || PLAIN.has(`${name}=${text}`) ? [] : [`${name}=${text}`];
  });
}
