/** Icons of the tools and of marks, on the grid of `components/icons.tsx`. */

import { Icon } from "../components/icons";

export const SelectIcon = () => (
  <Icon>
    <path d="M3.5 2.5l8.8 5.1-3.9 1-1.9 3.6z" />
  </Icon>
);
export const PanIcon = () => (
  <Icon>
    <path d="M8 2.2v11.6M2.2 8h11.6M6.2 4L8 2.2 9.8 4M6.2 12L8 13.8 9.8 12M4 6.2L2.2 8 4 9.8M12 6.2L13.8 8 12 9.8" />
  </Icon>
);
export const ZoomIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.3" />
    <path d="M10.2 10.2l3.3 3.3M5.2 7h3.6M7 5.2v3.6" />
  </Icon>
);
export const TimingIcon = () => (
  <Icon>
    <circle cx="8" cy="9.2" r="4.6" />
    <path d="M8 9.2V6.6M6.6 2.2h2.8M8 2.2v2.2M11.6 5.4l1-1" />
  </Icon>
);
export const FlagIcon = () => (
  <Icon>
    <path d="M4 14V2.5M4 3h8l-2.2 2.7L12 8.5H4" />
  </Icon>
);
export const LinkIcon = () => (
  <Icon>
    <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 1 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 1 0 3.7 3.7l.9-.9" />
  </Icon>
);
export const TrashIcon = () => (
  <Icon>
    <path d="M3 4.5h10M6.2 4.3V2.8h3.6v1.5M4.4 4.7l.6 8.5h6l.6-8.5M6.9 7v3.8M9.1 7v3.8" />
  </Icon>
);
