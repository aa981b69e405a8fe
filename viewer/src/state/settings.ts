/** Preferences of a person, kept in this browser. A browser that refuses to keep them gets the defaults each time. */

import { computed, effect, signal } from "@preact/signals";
import type { TimeFormat } from "@tilescope/client";
import type { Theme } from "../raster/palette";
import type { DockSide } from "./dock";
import { timeFormat } from "./time-format";

export type ThemeChoice = "system" | "light" | "dark";

interface Settings {
  readonly theme: ThemeChoice;
  readonly grid: boolean;
  readonly wheelZooms: boolean;
  readonly timeFormat: TimeFormat;
  readonly treeWidthPx: number;
  /** Side on which the details are docked. */
  readonly drawerSide: DockSide;
  /** Null until a person has chosen one: then it goes by the window. */
  readonly drawerHeightPx: number | null;
  readonly drawerWidthPx: number;
}

const STORAGE_KEY = "tilescope.settings";
export const DEFAULTS: Settings = {
  theme: "system",
  grid: true,
  wheelZooms: false,
  timeFormat: "relative",
  treeWidthPx: 280,
  drawerSide: "bottom",
  drawerHeightPx: null,
  drawerWidthPx: 440,
};
/** The part of the page's width that the names of the tracks take at most. */
export const TREE_PART = 0.38;

/** The width of the names in a window of this width. */
export function treeWidthIn(windowPx: number): number {
  return Math.min(settings.peek().treeWidthPx, TREE_PART * windowPx);
}

export const TREE_WIDTH_PX = { min: 140, max: 640 } as const;
/** As it is kept: what is shown depends on the window, too. */
const DRAWER_PX = { min: 120, max: 4000 } as const;

/** Kept in the browsers of those who had not chosen a height, when it was the same in all windows. */
const EARLIER_HEIGHT_PX = 300;

function clamp(value: unknown, limits: { readonly min: number; readonly max: number }, fallback: number): number {
  return typeof value === "number" && Number.isFinite(value)
    ? Math.min(limits.max, Math.max(limits.min, value))
    : fallback;
}

/** Settings from stored text, field by field, so that a damaged field costs only itself. */
export function parseSettings(text: string | null): Settings {
  let stored: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value === "object" && value !== null) {
      stored = value as Record<string, unknown>;
    }
  } catch {
    return DEFAULTS;
  }
  const theme = stored.theme;
  return {
    theme: theme === "light" || theme === "dark" ? theme : DEFAULTS.theme,
    grid: typeof stored.grid === "boolean" ? stored.grid : DEFAULTS.grid,
    wheelZooms: typeof stored.wheelZooms === "boolean" ? stored.wheelZooms : DEFAULTS.wheelZooms,
    timeFormat: stored.timeFormat === "ticks" || stored.timeFormat === "utc" ? stored.timeFormat : DEFAULTS.timeFormat,
    treeWidthPx: clamp(stored.treeWidthPx, TREE_WIDTH_PX, DEFAULTS.treeWidthPx),
    drawerSide: stored.drawerSide === "right" ? "right" : DEFAULTS.drawerSide,
    drawerHeightPx:
      typeof stored.drawerHeightPx === "number" && stored.drawerHeightPx !== EARLIER_HEIGHT_PX
        ? clamp(stored.drawerHeightPx, DRAWER_PX, EARLIER_HEIGHT_PX)
        : null,
    drawerWidthPx: clamp(stored.drawerWidthPx, DRAWER_PX, DEFAULTS.drawerWidthPx),
  };
}

function load(): Settings {
  try {
    return parseSettings(localStorage.getItem(STORAGE_KEY));
  } catch {
    return DEFAULTS;
  }
}

const systemIsDark = signal(false);

export const settings = signal<Settings>(DEFAULTS);
export const theme = computed<Theme>(() => {
  const choice = settings.value.theme;
  if (choice !== "system") {
    return choice;
  }
  return systemIsDark.value ? "dark" : "light";
});

export function changeSettings(change: Partial<Settings>): void {
  settings.value = { ...settings.peek(), ...change };
}

/** system → the other of the two → … so that the first press always changes what one sees. */
export function nextTheme(choice: ThemeChoice, isDark: boolean): ThemeChoice {
  if (choice === "system") {
    return isDark ? "light" : "dark";
  }
  return (choice === "dark") === isDark ? (isDark ? "light" : "dark") : "system";
}

export function toggleTheme(): void {
  changeSettings({ theme: nextTheme(settings.peek().theme, systemIsDark.peek()) });
}

/** Connects the settings with the browser: storage, the system's theme, the page's `data-theme`. */
export function connectSettings(): void {
  settings.value = load();
  timeFormat.value = settings.peek().timeFormat;
  const query = matchMedia("(prefers-color-scheme: dark)");
  systemIsDark.value = query.matches;
  query.addEventListener("change", () => {
    systemIsDark.value = query.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    const text = JSON.stringify(settings.value);
    try {
      localStorage.setItem(STORAGE_KEY, text);
    } catch {
      // Private windows may refuse; the settings then last as long as the page.
    }
  });
}

export function prefersReducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
