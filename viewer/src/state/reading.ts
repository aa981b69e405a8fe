/** Code that reads names, for colours and short forms: asked for at once, beside what is asked of the server. */

import { LateCode } from "./late-code";

export type Reading = typeof import("../raster/reading");

export const reading = new LateCode<Reading>(() => import("../raster/reading"));
reading.ask();
