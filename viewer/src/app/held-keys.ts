/** Keys that are held: they move the pane in use alone, and another may be in use by the time that they come up. */

import type { HeldIntent } from "../keys/table";
import type { Motion } from "../timeline/motion";

type Moved = Pick<Motion, "hold" | "release" | "releaseAll">;

export interface HeldKeys {
  hold(intent: HeldIntent, isFast: boolean): void;
  release(intent: HeldIntent): void;
  releaseAll(): void;
}

/** `motions`: of all panes, the one in use first. */
export function heldKeys(motions: () => readonly [Moved, ...Moved[]]): HeldKeys {
  return {
    hold: (intent, isFast) => {
      const [inUse, ...others] = motions();
      for (const motion of others) {
        motion.release(intent);
      }
      inUse.hold(intent, isFast);
    },
    release: (intent) => {
      for (const motion of motions()) {
        motion.release(intent);
      }
    },
    releaseAll: () => {
      for (const motion of motions()) {
        motion.releaseAll();
      }
    },
  };
}
