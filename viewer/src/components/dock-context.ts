/** Position of the details, for their content. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Dock } from "../state/dock";

export type DockPlace = Pick<Dock, "side" | "canChange">;

const DockContext = createContext<DockPlace>({ side: "bottom", canChange: false });

export const DockProvider = DockContext.Provider;

export function useDock(): DockPlace {
  return useContext(DockContext);
}
