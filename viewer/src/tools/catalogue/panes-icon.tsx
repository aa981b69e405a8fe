/** The icon of two timelines, one below the other. */

import { Icon } from "../../components/icons";

export const PanesIcon = () => (
  <Icon>
    <path d="M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11z" />
  </Icon>
);
