/** The tool in the hand: what a plain drag over the timeline does. */

import { signal } from "@preact/signals";
import type { ToolMode } from "../keys/gestures";

export const toolMode = signal<ToolMode>("select");
