/** Placeholder for code that failed to load. */

import { Card } from "./card";

/** Code that cannot be loaded is gone with an update of the server, or the server does not run any more. */
export function LoadFailed() {
  return (
    <Card title="This page could not be loaded">
      <p>The server does not answer, or it has been updated since this window was opened.</p>
      <button type="button" class="button is-primary" onClick={() => location.reload()}>
        Reload
      </button>
    </Card>
  );
}
