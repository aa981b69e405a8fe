/**
 * The timeline on its canvases: takes a picture of the state when something has changed, and paints it in one frame.
 */

import { effect } from "@preact/signals";
import { AwayError, fit, type Manifest, resize, type View, visibleRange } from "@tilescope/client";
import { timeAxis } from "../base/axis";
import { coloring } from "../state/coloring";
import type { DrawStatus } from "../state/draw-status";
import { LateCode } from "../state/late-code";
import type { Pane } from "../state/pane";
import { setProblem } from "../state/problems";
import type { Session } from "../state/session";
import { prefersReducedMotion, settings, theme } from "../state/settings";
import { type CanvasTheme, readCanvasTheme } from "./canvas-theme";
import type { EdgeHint } from "./edge-hints";
import type { TimelineExtension } from "./extension";
import { countProvisional, widestBinTicks } from "./facts";
import type { FlowArrow } from "./flow-arrows";
import { FrameLoop } from "./frame";
import type { PointerMeaning } from "./gesture-tracker";
import type { MinimapPainter } from "./minimap";
import { Motion } from "./motion";
import { paintAxis } from "./paint-axis";
import { TracksPainter } from "./paint-tracks";
import { type Picture, takePicture } from "./picture";
import type { PointerPlace } from "./pointer-place";
import { sceneTrackAt } from "./scene";
import { Surface } from "./surface";
import type { OverTracks } from "./tracks-input";

export interface StageCanvases {
  readonly timeline: HTMLElement;
  readonly tracks: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  readonly axis: HTMLCanvasElement;
}

const AXIS_PX = 28;

/** Time that the picture has to stand still before its events are counted for the status line. */
const COUNT_DELAY_MS = 120;

/** Pause between two pictures while tiles arrive: each shows a good part more. */
const ARRIVALS_MS = 50;

/** So far the pointer moves before it is told of what it was pressed on. */
const QUIET_PX = 4;

function distancePx(a: PointerPlace, b: PointerPlace): number {
  return Math.hypot(a.xPx - b.xPx, a.yPx - b.yPx);
}

export class Stage {
  readonly pane: Pane;
  readonly loop = new FrameLoop(() => this.#paint());
  readonly motion = new Motion(this.loop, {
    view: () => this.pane.view.peek(),
    setView: (next) => {
      this.pane.view.value = next;
    },
    bounds: () => this.pane.bounds.peek(),
    anchorXPx: () => this.pointer?.xPx ?? this.pane.view.peek().widthPx / 2,
    prefersReducedMotion,
    rested: () => this.invalidate(),
  });
  /** Code for what is over the tracks, and answers the pointer: loaded behind the first picture. */
  readonly late = new LateCode(() => import("./late-overlay"));
  /** Position of the pointer over the timeline, or null. */
  pointer: PointerPlace | null = null;
  minimap: MinimapPainter | null = null;
  extension: TimelineExtension | null = null;
  /** Loads them. */
  loadExtension: () => Promise<unknown> = async () => undefined;
  over: OverTracks | null = null;
  /** Position of the tooltip in the window before the picture began to move. */
  #hiddenAt: PointerPlace | null = null;
  /** Position at which the pointer was pressed, until it moves on. */
  #quietAt: PointerPlace | null = null;
  #canvases: StageCanvases | null = null;
  #surfaces: { tracks: Surface; overlay: Surface; axis: Surface; painter: TracksPainter } | null = null;
  #theme: { readonly name: string; readonly values: CanvasTheme } | null = null;
  #picture: Picture | null = null;
  #hints: readonly EdgeHint[] = [];
  #emphasis: OverTracks | null = null;
  #tracksDirty = true;
  #isMinimapDirty = false;
  #isFirstSize = true;
  #isLateAsked = false;
  #countTimer: ReturnType<typeof setTimeout> | null = null;
  #arrivalTimer: ReturnType<typeof setTimeout> | null = null;
  #paintedAtMs = Number.NEGATIVE_INFINITY;

  constructor(pane: Pane) {
    this.pane = pane;
    this.late.whenHere(() => {
      this.updateHover(null);
      this.invalidate();
    });
    // What could not be loaded is of its session; the next one may begin elsewhere than on the timeline.
    effect(() => {
      void this.pane.session.value;
      setProblem(this.pane, "tiles", null);
    });
  }

  /** The picture that is on the screen. */
  get picture(): Picture | null {
    return this.#picture;
  }

  /** True if the screen does not show the state yet. */
  get isDirty(): boolean {
    return this.#tracksDirty;
  }

  /** Labels that are on the screen. */
  get labels(): readonly { readonly track: number; readonly ordinal: number; readonly text: string }[] {
    return this.#surfaces?.painter.shown ?? [];
  }

  /** Connects the stage with its canvases and the state; returns what disconnects it. */
  attach(canvases: StageCanvases): () => void {
    this.#canvases = canvases;
    this.#isFirstSize = true;
    this.#surfaces = {
      tracks: new Surface(canvases.tracks, true),
      overlay: new Surface(canvases.overlay),
      axis: new Surface(canvases.axis),
      painter: new TracksPainter(document.createElement("canvas")),
    };
    const observer = new ResizeObserver(() => this.#resized());
    observer.observe(canvases.timeline);
    const focused = () => this.loop.invalidate();
    for (const name of ["focus", "blur"]) {
      canvases.timeline.addEventListener(name, focused);
    }
    const stopTracks = effect(() => {
      for (const source of [
        this.pane.view,
        this.pane.scrolled,
        this.pane.layout,
        coloring,
        settings,
        this.pane.session,
        this.pane.namesVersion,
        this.pane.shownFormat,
      ]) {
        void source.value;
      }
      this.invalidate();
    });
    const stopOverlay = effect(() => {
      for (const source of [
        this.pane.selection,
        this.pane.selectedRange,
        this.pane.detailsView,
        this.pane.draftArea,
        this.pane.hover,
      ]) {
        void source.value;
      }
      this.loop.invalidate();
    });
    this.#resized();
    return () => {
      observer.disconnect();
      stopTracks();
      stopOverlay();
      if (this.#countTimer !== null) {
        clearTimeout(this.#countTimer);
      }
      if (this.#arrivalTimer !== null) {
        clearTimeout(this.#arrivalTimer);
        this.#arrivalTimer = null;
      }
      this.motion.releaseAll();
      this.#canvases = null;
      this.#surfaces = null;
      this.#picture = null;
    };
  }

  /** Has the tiles fetched of what is likely to be on the screen, before the page has been laid out. */
  foresee(current: Session): void {
    this.#takePicture(current, this.pane.view.peek(), this.pane.scroll.peek().heightPx, devicePixelRatio);
  }

  #takePicture({ client, trace }: Session, shown: View, heightPx: number, ratio: number): Picture {
    return takePicture(
      client,
      this.pane.layout.peek(),
      shown,
      this.pane.scrolled.peek(),
      heightPx,
      ratio,
      trace.manifest.range.endTicks,
    );
  }

  /** The hint at a point of the timeline, or null. */
  hintAt({ xPx, yPx }: PointerPlace): EdgeHint | null {
    const picture = this.#picture;
    const track = picture === null ? null : sceneTrackAt(picture.scene, yPx);
    const late = this.late.here;
    return picture === null || late === null
      ? null
      : late.hintAt(this.#hints, track?.track ?? null, picture.view.widthPx, xPx);
  }

  /** Does what a click or a drag means, which needs what is loaded late. */
  async takeLate(meaning: PointerMeaning): Promise<void> {
    // Where the server is away, the next one asks again.
    await this.loadExtension().catch(() => undefined);
    (this.extension as TimelineExtension | null)?.take(meaning);
  }

  /** Asks for a new picture: something of the tracks has changed. */
  invalidate(): void {
    this.#tracksDirty = true;
    this.loop.invalidate();
  }

  /**
   * Asks for a new picture because something of it has arrived: at once if it was the last, or the picture on the screen is not
   * quite new. A picture for each page would take the time in which the next pages are read.
   */
  arrived(): void {
    this.#tracksDirty = true;
    const sinceMs = performance.now() - this.#paintedAtMs;
    if (sinceMs >= ARRIVALS_MS || this.pane.session.peek()?.client.status.missingPages === 0) {
      this.loop.invalidate();
    } else if (this.#arrivalTimer === null) {
      this.#arrivalTimer = setTimeout(() => {
        this.#arrivalTimer = null;
        this.loop.invalidate();
      }, ARRIVALS_MS - sinceMs);
    }
  }

  /** Something of the minimap has arrived: the tracks stay as they are. */
  minimapArrived(): void {
    this.#isMinimapDirty = true;
    this.loop.invalidate();
  }

  /** Hides the tooltip after a press, until the pointer moves on. */
  quietHover(): void {
    this.#quietAt = this.pointer;
    this.pane.hover.value = null;
  }

  /** Has something stand out from now on, before the hits of a search; null: nothing. */
  emphasize(emphasis: OverTracks | null): void {
    if (emphasis !== this.#emphasis) {
      this.#emphasis = emphasis;
      this.invalidate();
    }
  }

  /**
   * Looks again at what is under the pointer, which moved or under which the picture moved. What passes by in a moving picture
   * nobody can read, and a tooltip would cost as much of the frame as the labels do.
   */
  updateHover(client: PointerPlace | null): void {
    const { pointer } = this;
    const late = this.late.here;
    const before = this.pane.hover.peek();
    const place = client ?? (before === null ? this.#hiddenAt : { xPx: before.clientXPx, yPx: before.clientYPx });
    this.#hiddenAt = null;
    if (late === null) {
      this.late.ask();
    }
    if (this.motion.isMoving || late === null) {
      this.#hiddenAt = place;
      this.pane.hover.value = null;
      return;
    }
    if (this.#quietAt !== null) {
      if (pointer !== null && distancePx(pointer, this.#quietAt) < QUIET_PX) {
        return;
      }
      this.#quietAt = null;
    }
    const picture = this.#picture;
    const pointed = pointer === null || picture === null ? null : late.pointedAt(picture, pointer.xPx, pointer.yPx);
    if (pointed === null || place === null) {
      this.pane.hover.value = null;
      return;
    }
    this.pane.hover.value = { pointed, clientXPx: place.xPx, clientYPx: place.yPx };
  }

  #resized(): void {
    const element = this.#canvases?.timeline;
    if (element === undefined) {
      return;
    }
    const widthPx = element.clientWidth;
    if (widthPx === 0) {
      return;
    }
    const before = this.pane.view.peek();
    // The first size is that of a view that has not been shown yet: keep its range, not its scale.
    const isFirst = this.#isFirstSize;
    this.#isFirstSize = false;
    if (isFirst) {
      this.pane.view.value = fit(visibleRange(before), widthPx);
    } else if (widthPx !== before.widthPx) {
      this.pane.view.value = resize(before, widthPx, this.pane.bounds.peek());
    }
    this.invalidate();
  }

  #paint(): void {
    const surfaces = this.#surfaces;
    const element = this.#canvases?.timeline;
    const current = this.pane.session.peek();
    if (surfaces === null || element === undefined || current === null || this.pane.view.peek().widthPx <= 1) {
      return;
    }
    const values = this.#themeValues(element);
    if (this.#tracksDirty) {
      this.#tracksDirty = false;
      this.#paintTracks(current, element, values);
      this.#askOnce();
    } else if (this.#isMinimapDirty && this.#picture !== null) {
      this.#paintMinimap(current, this.#picture, values);
    }
    const picture = this.#picture;
    if (picture === null) {
      return;
    }
    this.late.here?.paintOverlay(surfaces.overlay, {
      picture,
      theme: values,
      selection: this.pane.selection.peek(),
      selectedRange: this.pane.selectedRange.peek(),
      draft: this.pane.draftArea.peek(),
      areaTracks: this.pane.areaTracks.peek(),
      tickPs: current.trace.manifest.time.tickPs,
      arrows: this.#flowArrows(picture, current.trace.manifest),
      hints: this.#hints,
      hoveredHint: this.pointer === null ? null : this.hintAt(this.pointer),
      selectedRow: this.#selectedRow(),
      isWalked: element.matches(":focus-visible"),
      hovered: this.late.here.targetOf(this.pane.hover.peek()?.pointed ?? null),
      extension: this.extension,
    });
    paintAxis(this.pane, surfaces.axis, {
      axis: timeAxis(picture.view, current.trace.manifest.time, this.pane.shownFormat.peek()),
      picture,
      heightPx: AXIS_PX,
      selected: this.pane.draftArea.peek()?.area.range ?? this.pane.selectedRange.peek(),
      theme: values,
      extension: this.extension,
    });
  }

  /** Not at every picture: where the server is away, pointer and keys ask again. */
  #askOnce(): void {
    if (!this.#isLateAsked) {
      this.#isLateAsked = true;
      this.late.ask();
    }
  }

  /** The row of the selected event, as soon as it is known. */
  #selectedRow(): number | null {
    const details = this.pane.detailsView.peek();
    return details.kind === "ready" && details.event === this.pane.selection.peek() ? details.details.row : null;
  }

  #flowArrows(picture: Picture, manifest: Manifest): readonly FlowArrow[] {
    const details = this.pane.detailsView.peek();
    const allArrows = this.late.here?.allArrows;
    return details.kind === "ready" && allArrows !== undefined
      ? allArrows(this.pane, picture, this.pane.layout.peek(), this.pane.scrolled.peek(), details.details, manifest)
      : [];
  }

  /** While the picture moves nobody reads what is between: it would cost a part of each frame. */
  #hintsOf({ scene, view: shown, coverages }: Picture, tickPs: number): readonly EdgeHint[] {
    const late = this.late.here;
    if (late === null) {
      return [];
    }
    const between = this.motion.isMoving ? [] : late.gapHints(scene, shown, tickPs, coverages);
    return [...late.edgeHints(scene, shown, tickPs), ...between];
  }

  #paintTracks(current: Session, element: HTMLElement, values: CanvasTheme): void {
    const startMs = performance.now();
    const ratio = window.devicePixelRatio;
    const shown = this.pane.view.peek();
    let picture = this.#takePicture(current, shown, element.clientHeight, ratio);
    if (this.late.here?.unfoldTracks({ pane: this.pane, element, pointer: this.pointer }, picture) === true) {
      picture = this.#takePicture(current, shown, element.clientHeight, ratio);
    }
    this.#picture = picture;
    this.#hints = this.#hintsOf(picture, current.trace.manifest.time.tickPs);
    for (const { draws } of picture.coverages.values()) {
      current.wantNames(draws);
    }
    this.#surfaces?.painter.paint(this.#surfaces.tracks, {
      picture,
      axis: timeAxis(shown, current.trace.manifest.time, this.pane.shownFormat.peek()),
      colors: current.colors(coloring.peek()),
      theme: values,
      showGrid: settings.peek().grid,
      nameOf: (id) => current.name(id)?.name,
      formOf: (id) => current.form(id),
      over: this.#emphasis ?? this.over,
    });
    this.#paintMinimap(current, picture, values);
    this.updateHover(null);
    this.#paintedAtMs = performance.now();
    this.#report(current, picture, element, this.#paintedAtMs - startMs);
  }

  #paintMinimap(current: Session, { view: shown, coverages, ratio }: Picture, values: CanvasTheme): void {
    this.#isMinimapDirty = false;
    const isSharp = [...coverages.values()].every((coverage) => coverage.complete);
    this.minimap?.paint(current, shown, values, coloring.peek(), ratio, this.#emphasis ?? this.over, isSharp);
  }

  #themeValues(element: HTMLElement): CanvasTheme {
    const name = theme.peek();
    if (this.#theme?.name !== name) {
      this.#theme = { name, values: readCanvasTheme(element) };
    }
    return this.#theme.values;
  }

  /** Says at once how exact the picture is, and counts its events when it has stood still for a moment. */
  #report(current: Session, picture: Picture, element: HTMLElement, frameMs: number): void {
    const { missingPages, stream, problem } = current.client.status;
    // Of a server that is away the whole page tells.
    const isOwn = problem !== null && !(problem instanceof AwayError);
    setProblem(this.pane, "tiles", isOwn ? `Something could not be loaded: ${problem.message}` : null);
    const before = this.pane.drawStatus.peek();
    const now: DrawStatus = {
      missingPages,
      connection: stream,
      binTicks: widestBinTicks(picture),
      events: null,
      provisional: countProvisional(picture),
      frameMs: before.frameMs,
    };
    if (!isSameStatus(now, before)) {
      this.pane.drawStatus.value = now;
    }
    if (this.#countTimer !== null) {
      clearTimeout(this.#countTimer);
    }
    this.#countTimer = setTimeout(() => {
      const late = this.late.here;
      // What is counted is what stays: the next picture comes where something has changed, or rows are folded.
      const place = { pane: this.pane, element, pointer: this.pointer };
      if (late === null || this.#tracksDirty || late.foldTracks(place, picture)) {
        return;
      }
      this.pane.drawStatus.value = { ...this.pane.drawStatus.peek(), events: late.countEvents(picture), frameMs };
    }, COUNT_DELAY_MS);
  }
}

function isSameStatus(a: DrawStatus, b: DrawStatus): boolean {
  return (
    a.missingPages === b.missingPages &&
    a.connection === b.connection &&
    a.binTicks === b.binTicks &&
    a.provisional === b.provisional &&
    a.events === b.events
  );
}
