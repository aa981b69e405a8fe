/** How components reach the application: its actions, nothing of its insides. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Guide } from "../guide";
import type { Intent } from "../keys/table";

export interface AppActions {
  /** Takes the view to events, ranges and what is selected. */
  readonly guide: Guide;
  openRun(id: string | null): void;
  retryRun(id: string): void;
  refreshRuns(): void;
  chooseHost(host: string | null): void;
  setOpenGroups(open: ReadonlySet<string>): void;
  /** Does what a key would do. */
  act(intent: Intent): void;
  /** Opens the drawer with what is known about the run as a whole. */
  showRunFacts(): void;
}

const AppContext = createContext<AppActions | null>(null);

export const AppProvider = AppContext.Provider;

export function useApp(): AppActions {
  const app = useContext(AppContext);
  if (app === null) {
    throw new Error("used outside of the application");
  }
  return app;
}
