/**
 * Position of the pointer in the window, and the elements under it now. It is asked for at the moment of use: the page may have changed
 * under a pointer that rests, without an event.
 */

/** In pixels of the window, or from the corner of an element. */
export interface PointerPlace {
  readonly xPx: number;
  readonly yPx: number;
}

let place: PointerPlace | null = null;

/** Follows the pointer for as long as the page is open. A finger does not point when it is up. */
export function followPointer(): void {
  const options = { capture: true, passive: true };
  const follow = ({ pointerType, clientX, clientY }: PointerEvent) => {
    place = pointerType === "touch" ? null : { xPx: clientX, yPx: clientY };
  };
  for (const name of ["pointerover", "pointermove", "pointerdown"] as const) {
    addEventListener(name, follow, options);
  }
  document.documentElement.addEventListener("pointerleave", () => {
    place = null;
  });
}

/** Does something that is not meant by pointing: as if the pointer were nowhere. */
export function withoutPointer(act: () => void): void {
  const before = place;
  place = null;
  try {
    act();
  } finally {
    place = before;
  }
}

/** Elements under the pointer, the uppermost first. */
export function elementsPointedAt(): readonly Element[] {
  return place === null ? [] : document.elementsFromPoint(place.xPx, place.yPx);
}

/** Position of the pointer in an element; null where something else lies under it. */
export function placeWithin(element: Element): PointerPlace | null {
  const [uppermost] = elementsPointedAt();
  if (place === null || uppermost === undefined || !element.contains(uppermost)) {
    return null;
  }
  const box = element.getBoundingClientRect();
  return { xPx: place.xPx - box.left, yPx: place.yPx - box.top };
}
