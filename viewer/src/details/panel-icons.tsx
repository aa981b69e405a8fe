/** Icons that only the details have. */

/** A long bar between shorter ones. */
export const LongestIcon = () => (
  <svg
    class="icon"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    aria-hidden="true"
  >
    <path d="M2.5 4h4M2.5 8h11M2.5 12h6" />
  </svg>
);

/** A page with its lines. */
export const PageIcon = () => (
  <svg
    class="icon"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d="M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6" />
  </svg>
);

/** Where an arrow ends. */
export const TargetIcon = () => (
  <svg
    class="icon"
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d="M2.5 8h7M6.8 5.2L9.6 8l-2.8 2.8M13 3v10" />
  </svg>
);
