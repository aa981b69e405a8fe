/** A socket of text for tests: it says what a test has it say. */

import type { TextSocket } from "./watch";

export class FakeSocket implements TextSocket {
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: MessageEvent) => void) | null = null;
  onclose: ((event: CloseEvent) => void) | null = null;
  isClosed = false;
  send(): void {}
  close(): void {
    this.isClosed = true;
  }
  say(value: unknown): void {
    this.onmessage?.({ data: JSON.stringify(value) } as MessageEvent);
  }
  break(): void {
    this.onclose?.({} as CloseEvent);
  }
}
