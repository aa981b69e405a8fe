/** A message in the place of what one looks for. */

import type { ComponentChildren } from "preact";

export function Card({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="message">
      <div class="message-card">
        <h2>{title}</h2>
        {children}
      </div>
    </div>
  );
}
