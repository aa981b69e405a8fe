/** Tooltip of the element that keys have led to, as pointing at it shows it. Loaded with the first tab key. */

/** So long the focus rests before it is told, as with a pointer. */
const REST_MS = 400;
const GAP_PX = 6;
const EDGE_PX = 8;

export function connectFocusTip(): void {
  const tip = document.createElement("div");
  tip.className = "tooltip focus-tip";
  // Screen readers know the text from the element itself.
  tip.ariaHidden = "true";
  tip.hidden = true;
  document.body.append(tip);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const hide = () => {
    clearTimeout(timer);
    tip.hidden = true;
  };
  const show = (element: HTMLElement) => {
    tip.textContent = element.title;
    tip.hidden = false;
    const box = element.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const isBelow = box.bottom + GAP_PX + own.height < innerHeight - EDGE_PX;
    const leftPx = Math.max(EDGE_PX, Math.min(box.left, innerWidth - own.width - EDGE_PX));
    const topPx = isBelow ? box.bottom + GAP_PX : box.top - GAP_PX - own.height;
    tip.style.left = `${leftPx}px`;
    tip.style.top = `${Math.max(EDGE_PX, topPx)}px`;
  };
  const follow = () => {
    hide();
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && activeElement.title !== "" && activeElement.matches(":focus-visible")) {
      timer = setTimeout(() => show(activeElement), REST_MS);
    }
  };
  addEventListener("focusin", follow);
  for (const name of ["focusout", "pointerdown", "wheel", "resize"]) {
    addEventListener(name, hide, { passive: true });
  }
  // A key that does something, such as one that opens a menu, has been told enough.
  addEventListener("keydown", (event) => event.key !== "Tab" && hide(), { capture: true });
  follow();
}
