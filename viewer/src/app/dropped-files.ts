/** Files that are dragged over the page: taken anywhere on it, rather than shown by the browser in its place. */

/** What a drop carries. A browser forgets it when the event is over, so all of it is taken at once. */
export interface Dropped {
  readonly entries: readonly FileSystemEntry[];
  readonly files: readonly File[];
}

/** `drop` is called with null when files come over the page, and with them when they are dropped. */
export function listenToDrops(drop: (dropped: Dropped | null) => void): void {
  for (const kind of ["dragenter", "dragover", "drop"] as const) {
    addEventListener(kind, (event) => {
      const carried = event.dataTransfer;
      if (carried?.types.includes("Files")) {
        event.preventDefault();
        if (kind === "drop") {
          const entries = [...carried.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
          drop({ entries, files: [...carried.files] });
        } else if (kind === "dragenter") {
          drop(null);
        }
      }
    });
  }
}
