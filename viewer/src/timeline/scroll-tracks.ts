/** Scrolls the pinned tracks, or all others where there is no more of them. */
export function scrollTracks(scroller: HTMLElement, isOverPinned: boolean, deltaPx: number): void {
  const pinned = isOverPinned ? scroller.querySelector<HTMLElement>(".tree-pinned") : null;
  const before = pinned?.scrollTop ?? 0;
  if (pinned !== null) {
    pinned.scrollTop += deltaPx;
  }
  if (pinned === null || pinned.scrollTop === before) {
    scroller.scrollTop += deltaPx;
  }
}
