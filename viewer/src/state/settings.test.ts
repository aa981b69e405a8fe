import { describe, expect, it } from "vitest";
import { nextTheme, parseSettings } from "./settings";

describe("settings", () => {
  it("start with the defaults", () => {
    expect(parseSettings(null)).toMatchObject({ theme: "system", grid: true, wheelZooms: false });
    expect(parseSettings("{broken")).toEqual(parseSettings(null));
    expect(parseSettings("[]")).toEqual(parseSettings(null));
  });

  it("keep what is sound and replace what is not", () => {
    const text = JSON.stringify({ theme: "dark", grid: "yes", treeWidthPx: 9000, drawerHeightPx: 200 });
    expect(parseSettings(text)).toMatchObject({ theme: "dark", grid: true, treeWidthPx: 640, drawerHeightPx: 200 });
    const docked = parseSettings(
      JSON.stringify({ drawerSide: "right", drawerWidthPx: 500, drawerHeightPx: Number.NaN }),
    );
    expect(docked).toMatchObject({ drawerSide: "right", drawerWidthPx: 500, drawerHeightPx: null });
    expect(parseSettings(JSON.stringify({ drawerHeightPx: 300 })).drawerHeightPx).toBeNull();
    expect(parseSettings(JSON.stringify({ drawerSide: "above" })).drawerSide).toBe("bottom");
  });

  it("change the theme that one sees at the first press, and come back to the system's", () => {
    expect(nextTheme("system", true)).toBe("light");
    expect(nextTheme("light", true)).toBe("system");
    expect(nextTheme("system", false)).toBe("dark");
    expect(nextTheme("dark", false)).toBe("system");
    expect(nextTheme("light", false)).toBe("dark");
    expect(nextTheme("dark", true)).toBe("light");
  });
});
