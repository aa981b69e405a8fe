/** Copies of text selected in the details: figures have all their digits there, and cells are parted by tabs. */

/** Puts the exact text of a selection on the clipboard, if it has figures that are shown shorter. */
export function copyExact(event: ClipboardEvent): void {
  const chosen = document.getSelection();
  if (chosen === null || chosen.rangeCount === 0 || chosen.isCollapsed || event.clipboardData === null) {
    return;
  }
  const range = chosen.getRangeAt(0);
  const text = exactTextOf(range.cloneContents(), range.commonAncestorContainer);
  if (text !== null) {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }
}

/** Null where the selection is copied as it is. */
function exactTextOf(content: DocumentFragment, around: Node): string | null {
  const figure = (around instanceof Element ? around : around.parentElement)?.closest<HTMLElement>("[data-exact]");
  if (figure) {
    return figure.dataset.exact!;
  }
  const figures = content.querySelectorAll<HTMLElement>("[data-exact]");
  if (figures.length === 0) {
    return null;
  }
  for (const each of figures) {
    each.textContent = each.dataset.exact!;
  }
  // A part of a row has its cells alone.
  for (const cell of content.querySelectorAll(":is(th, td):has(+ :is(th, td))")) {
    cell.append("\t");
  }
  for (const line of content.querySelectorAll("tr, caption, h2, h3, p, li")) {
    line.append("\n");
  }
  return content.textContent.replace(/\n$/, "");
}
