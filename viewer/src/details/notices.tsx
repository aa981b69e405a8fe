/** Notices in the place of details that are not there. */

import type { Failure } from "../state/failure";
import { link } from "../state/link";

export function SkeletonRows({ widths }: { widths: readonly number[] }) {
  return (
    <div class="detail-skeleton" role="status" data-state="loading">
      <span class="visually-hidden">Loading</span>
      {widths.map((percent, k) => (
        <div key={`${k}`} style={{ width: `${percent}%` }} />
      ))}
    </div>
  );
}

/** Message of a failed fetch, with a way to try again. When the server is back, that happens by itself. */
export function CannotFetch({ failure, retry }: { failure: Failure; retry: () => void }) {
  const { message, isUnavailable } = failure;
  if (isUnavailable) {
    return (
      <p class="detail-unavailable" data-state="unavailable">
        {message}.
      </p>
    );
  }
  const isAway = link.value.kind === "down";
  return (
    <div class="cannot-fetch" role="status" data-state="failed">
      <p>
        Cannot be fetched: {isAway ? "the server does not answer. It follows by itself when it does." : `${message}.`}
      </p>
      <button type="button" class="button is-outlined" onClick={retry}>
        Retry
      </button>
    </div>
  );
}
