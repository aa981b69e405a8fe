/**
 * Hands a trace over to a page of Perfetto's user interface, in the way that Perfetto documents for others: the page is
 * asked `PING` until it answers `PONG`, and is then given the bytes. Nothing leaves the browser.
 */

export interface HandOver {
  readonly buffer: ArrayBuffer;
  readonly title: string;
  readonly fileName: string;
}

/** The window of the page, as far as it is used. */
export interface PerfettoWindow {
  readonly closed: boolean;
  postMessage(message: unknown, targetOrigin: string, transfer?: Transferable[]): void;
}

/** Receiver of answers. */
export interface Mailbox {
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  removeEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

interface Wait {
  readonly everyMs: number;
  readonly atMostMs: number;
}

const PATIENCE: Wait = { everyMs: 100, atMostMs: 60_000 };

/** Resolves when the page can be given a trace. Throws where it does not answer, or is closed. */
export function whenReady(
  target: PerfettoWindow,
  origin: string,
  mailbox: Mailbox = window,
  patience: Wait = PATIENCE,
): Promise<void> {
  return new Promise((ready, failed) => {
    let waitedMs = 0;
    const stop = () => {
      clearInterval(timer);
      mailbox.removeEventListener("message", hear);
    };
    const hear = (event: MessageEvent) => {
      if (event.source === (target as unknown) && event.origin === origin && event.data === "PONG") {
        stop();
        ready();
      }
    };
    const timer = setInterval(() => {
      waitedMs += patience.everyMs;
      if (target.closed || waitedMs > patience.atMostMs) {
        stop();
        failed(new Error(target.closed ? "Perfetto's page was closed" : `${origin} does not answer as Perfetto does`));
        return;
      }
      // It says nothing, and may be heard by whatever page is there: the trace goes to Perfetto's origin alone.
      target.postMessage("PING", "*");
    }, patience.everyMs);
    mailbox.addEventListener("message", hear);
  });
}

/** To a page that is ready. The buffer is Perfetto's from then on. */
export function handOver(target: PerfettoWindow, origin: string, trace: HandOver): void {
  target.postMessage({ perfetto: trace }, origin, [trace.buffer]);
}
