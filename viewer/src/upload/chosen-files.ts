/** Files that were dropped or chosen, with the folders that they are in. */

/** A file, and its name with `/` between folders. */
export interface ChosenFile {
  readonly name: string;
  readonly file: File;
}

/** More than a server takes: nothing below is looked at any more. */
const MOST = 10_000;

/** Files of a choice in the browser's dialog. */
export function chosenFiles(files: Iterable<File>): ChosenFile[] {
  return [...files]
    .map((file) => ({ name: file.webkitRelativePath || file.name, file }))
    .filter(({ name }) => !isHidden(name));
}

/** Files of a drop; folders are walked. Files whose names begin with a dot are left out, unless they were dropped themselves. */
export async function droppedFiles(entries: readonly FileSystemEntry[]): Promise<ChosenFile[]> {
  const files: ChosenFile[] = [];
  for (const entry of entries) {
    await walk(entry, entry.name, files);
  }
  return files;
}

async function walk(entry: FileSystemEntry, name: string, into: ChosenFile[]): Promise<void> {
  if (into.length >= MOST) {
    return;
  }
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    into.push({ name, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // So many at a time, until there are none.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) {
      return;
    }
    for (const inner of batch.filter((inner) => !inner.name.startsWith("."))) {
      await walk(inner, `${name}/${inner.name}`, into);
    }
  }
}

/** True of what lies hidden in a folder that was chosen. */
function isHidden(name: string): boolean {
  return name
    .split("/")
    .slice(1)
    .some((part) => part.startsWith("."));
}

/** `trace.json`, or `logs (12 files)`. */
export function titleOf(files: readonly ChosenFile[]): string {
  const tops = new Set(files.map(({ name }) => name.split("/")[0]!));
  const [top] = tops;
  return files.length === 1
    ? files[0]!.name
    : tops.size === 1
      ? `${top} (${files.length} files)`
      : `${files.length} files`;
}
