/**
 * The only animation frame of the page. Nothing runs while nothing changes: `invalidate` asks for one frame, a running
 * animation asks for the next one.
 */

/** Moves something on; returns whether it wants another frame. `deltaMs` is 0 in the first frame of a motion. */
export type Animation = (nowMs: number, deltaMs: number) => boolean;

export class FrameLoop {
  readonly #paint: () => void;
  readonly #request: (callback: (nowMs: number) => void) => number;
  #isRequested = false;
  #isDirty = false;
  #animations = new Map<string, { readonly step: Animation; lastMs: number | null }>();
  /** Frames painted so far, for tests of idleness. */
  paintedFrames = 0;

  constructor(
    paint: () => void,
    request: (callback: (nowMs: number) => void) => number = (callback) => requestAnimationFrame(callback),
  ) {
    this.#paint = paint;
    this.#request = request;
  }

  /** True if the next frame paints something. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  invalidate(): void {
    this.#isDirty = true;
    this.#ask();
  }

  /** Starts an animation; one of the same name that runs already is replaced. */
  animate(name: string, step: Animation): void {
    this.#animations.set(name, { step, lastMs: null });
    this.#ask();
  }

  stop(name: string): void {
    this.#animations.delete(name);
  }

  isAnimating(name: string): boolean {
    return this.#animations.has(name);
  }

  #ask(): void {
    if (this.#isRequested) {
      return;
    }
    this.#isRequested = true;
    this.#request((nowMs) => this.#frame(nowMs));
  }

  #frame(nowMs: number): void {
    this.#isRequested = false;
    for (const [name, animation] of [...this.#animations]) {
      // A tab that slept must not jump: no step is longer than a tenth of a second.
      const deltaMs = animation.lastMs === null ? 0 : Math.min(100, nowMs - animation.lastMs);
      animation.lastMs = nowMs;
      if (!animation.step(nowMs, deltaMs) && this.#animations.get(name) === animation) {
        this.#animations.delete(name);
      }
    }
    if (this.#isDirty) {
      this.#isDirty = false;
      this.paintedFrames += 1;
      this.#paint();
    }
    if (this.#animations.size > 0) {
      this.#ask();
    }
  }
}
