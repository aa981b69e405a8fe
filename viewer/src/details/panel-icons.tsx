/** Icons that only the details have. */

import { Icon } from "../components/icons";

/** A long bar between shorter ones. */
export const LongestIcon = () => (
  <Icon>
    <path d="M2.5 4h4M2.5 8h11M2.5 12h6" />
  </Icon>
);

/** A page with its lines. */
export const PageIcon = () => (
  <Icon>
    <path d="M2.5 3.5h11v9h-11zM2.5 6.5h11M6.5 6.5v6" />
  </Icon>
);

/** Icon for the end of an arrow. */
export const TargetIcon = () => (
  <Icon>
    <path d="M2.5 8h7M6.8 5.2L9.6 8l-2.8 2.8M13 3v10" />
  </Icon>
);
