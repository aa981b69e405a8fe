/** A page as somebody else would write it: from docs/typescript.md and the README alone. Checked by `tsc --strict`. */

import {
  Api,
  ApiError,
  boxesOf,
  type Coverage,
  fit,
  formatDuration,
  type Manifest,
  NetworkError,
  TileClient,
  type ToolAnswer,
  type Track,
  type View,
  Watch,
  zoomAt,
} from "@tilescope/client";

const api = new Api("http://127.0.0.1:8808");

/** Draws the fullest track of the newest run, and zooms with the wheel. */
export async function main(canvas: HTMLCanvasElement, title: HTMLElement): Promise<void> {
  const run = (await api.runs()).find(({ state }) => state === "ready");
  if (run === undefined) {
    title.textContent = "There is no run.";
    return;
  }
  const manifest: Manifest = await api.manifest(run.id);
  const build = api.build(run.id, manifest.build);
  const { tracks } = await build.tracks();
  const track = fullest(tracks);
  title.textContent = `${manifest.name}: ${track.name}, ${lengthOf(manifest)}, ${manifest.events.total} events`;

  const request = { track: track.id, kind: track.kind, children: track.children };
  let view: View = fit(manifest.range, canvas.width);
  const client = new TileClient({
    rootLevel: manifest.rootLevel,
    limits: manifest.limits,
    loadShape: (block) => build.shape(block),
    connect: () => new WebSocket(build.streamUrl(location.href)),
    fetchPage: (key, signal) => build.page(key, signal),
    fetchResidual: (key, signal) => build.residual(key, signal),
    onChange: () => requestAnimationFrame(draw),
  });
  const show = (next: View): void => {
    view = next;
    client.show({ view, tracks: [request] });
    draw();
  };
  function draw(): void {
    paint(canvas, client.coverage(request, view), view, track.rows);
  }
  canvas.addEventListener("wheel", (event) => show(zoomAt(view, event.offsetX, 1.002 ** event.deltaY, manifest.range)));
  show(view);
}

/** The busiest names of a run, as text. */
export async function busiest(runId: string, buildId: string): Promise<string[]> {
  const answer: ToolAnswer = await api.build(runId, buildId).ask("stats", { limit: 10, start: 0n });
  const table = answer.tables.find(({ id }) => id === "names");
  const names = table?.columns.find(({ id }) => id === "name")?.values ?? [];
  return names.map((name) => String(name));
}

/** Start times of the events of a track, exactly. */
export async function starts(runId: string, buildId: string, track: number): Promise<readonly bigint[]> {
  const { columns, after } = await api.build(runId, buildId).events({ tracks: [track], limit: 100 });
  return after === null ? columns.startTicks : columns.startTicks.slice(0, 100);
}

/** Says how far indexing is, until it is over. */
export function follow(runId: string, say: (text: string) => void): Watch {
  const watch = new Watch({
    connect: () => new WebSocket(api.watchUrl(runId, location.href)),
    events: {
      onProgress: ({ phase, fraction, events }) => say(`${phase}: ${Math.round(100 * fraction)} %, ${events} events`),
      onBlocks: () => undefined,
      onReady: () => watch.close(),
      onFailed: (message) => say(message),
    },
  });
  return watch;
}

/** Text of an error for people. */
export function reason(error: unknown): string {
  if (error instanceof ApiError && error.code === "not_indexed") {
    return "It is not indexed yet.";
  }
  return error instanceof ApiError || error instanceof NetworkError ? error.message : String(error);
}

function fullest(tracks: readonly Track[]): Track {
  return tracks.filter(({ kind }) => kind === "slice").reduce((a, b) => (b.events > a.events ? b : a));
}

function lengthOf({ range, time }: Manifest): string {
  return formatDuration(range.endTicks - range.startTicks, time.tickPs);
}

function paint(canvas: HTMLCanvasElement, { draws, complete }: Coverage, view: View, rows: number): void {
  const pen = canvas.getContext("2d");
  if (pen === null) {
    return;
  }
  const rowPx = canvas.height / rows;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.globalAlpha = complete ? 1 : 0.5;
  for (const { row, name, startPx, endPx } of boxesOf(draws, view)) {
    pen.fillStyle = `hsl(${(name * 67) % 360} 60% 60%)`;
    pen.fillRect(startPx, row * rowPx, Math.max(1, endPx - startPx), rowPx - 1);
  }
}
