/** Icons, drawn on a 16 px grid in the colour of the text around them. */

import type { ComponentChildren } from "preact";

/** The frame of all of them. */
export function Icon({ children }: { children: ComponentChildren }) {
  return (
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
      {children}
    </svg>
  );
}

export function ChevronIcon({ isOpen }: { isOpen: boolean }) {
  return (
    <svg class={isOpen ? "chevron is-open" : "chevron"} viewBox="0 0 16 16" aria-hidden="true">
      <path d="M6 4l4 4-4 4" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
    </svg>
  );
}

export const DashboardIcon = () => (
  <Icon>
    <path d="M2.5 2.5h5v5h-5zM9.5 2.5h4v3h-4zM9.5 7.5h4v6h-4zM2.5 9.5h5v4h-5z" />
  </Icon>
);
export const TreeIcon = () => (
  <Icon>
    <path d="M2 3.5h12M2 8h7.5M2 12.5h4M11.5 8H14" stroke-width="2.4" />
  </Icon>
);
export const RingIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="4.6" stroke-width="2.8" />
    <path d="M8 1.6v4.2M13.4 11.2l-3.6-2.1" />
  </Icon>
);
export const PinIcon = () => (
  <Icon>
    <path d="M5.5 2.5h5M6.3 2.5v4L4.2 9.2h7.6L9.7 6.5v-4M8 9.2v4.3" />
  </Icon>
);
export const EyeIcon = () => (
  <Icon>
    <path d="M2.2 8S4.3 4.2 8 4.2 13.8 8 13.8 8 11.7 11.8 8 11.8 2.2 8 2.2 8z" />
    <circle cx="8" cy="8" r="1.4" />
  </Icon>
);
export const EyeOffIcon = () => (
  <Icon>
    <path d="M2.2 8S4.3 4.2 8 4.2 13.8 8 13.8 8 11.7 11.8 8 11.8 2.2 8 2.2 8zM3.2 13L12.8 3" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <path d="M3.6 8h.1M8 8h.1M12.4 8h.1" stroke-width="2.2" />
  </Icon>
);
export const SearchIcon = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.2" />
    <path d="M10.2 10.2l3.3 3.3" />
  </Icon>
);
export const FilterIcon = () => (
  <Icon>
    <path d="M2.5 4.5h11M4.8 8h6.4M6.8 11.5h2.4" />
  </Icon>
);
export const ResetIcon = () => (
  <Icon>
    <path d="M3.2 3v3.2h3.2M3.4 6A5.2 5.2 0 1 1 3 9.2" />
  </Icon>
);
export const DownIcon = () => (
  <Icon>
    <path d="M4.5 6.5L8 10l3.5-3.5" />
  </Icon>
);
export const PlusIcon = () => (
  <Icon>
    <path d="M8 3.5v9M3.5 8h9" />
  </Icon>
);
export const MinusIcon = () => (
  <Icon>
    <path d="M3.5 8h9" />
  </Icon>
);
export const FitIcon = () => (
  <Icon>
    <path d="M2.5 3v10M13.5 3v10M5 8h6M6.8 6L5 8l1.8 2M9.2 6L11 8l-1.8 2" />
  </Icon>
);
export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="2.8" />
    <path d="M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1" />
  </Icon>
);
export const MoonIcon = () => (
  <Icon>
    <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z" />
  </Icon>
);
export const HelpIcon = () => (
  <Icon>
    <path d="M5.8 6a2.3 2.3 0 1 1 3.4 2c-.8.5-1.2.9-1.2 1.7" />
    <path d="M8 12.2v.1" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="M4 4l8 8M12 4l-8 8" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
  </Icon>
);
export const CheckIcon = () => (
  <Icon>
    <path d="M3.5 8.5l3 3 6-7" />
  </Icon>
);
export const DockRightIcon = () => (
  <Icon>
    <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" />
    <path d="M9.5 2.5v11" />
  </Icon>
);
export const DrawerIcon = () => (
  <Icon>
    <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" />
    <path d="M2.5 9.5h11" />
  </Icon>
);
export const TableIcon = () => (
  <Icon>
    <rect x="2.5" y="2.5" width="11" height="11" rx="1.5" />
    <path d="M2.5 6.2h11M2.5 9.9h11M6.2 6.2v7.3" />
  </Icon>
);
export const ExpandIcon = () => (
  <Icon>
    <path d="M4.5 6L8 2.5 11.5 6M4.5 10L8 13.5l3.5-3.5" />
  </Icon>
);
export const CollapseIcon = () => (
  <Icon>
    <path d="M4.5 2.5L8 6l3.5-3.5M4.5 13.5L8 10l3.5 3.5" />
  </Icon>
);
export const GoIcon = () => (
  <Icon>
    <path d="M3 8h9M8.5 4.5L12 8l-3.5 3.5" />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d="M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13h10" />
  </Icon>
);

/** The mark of the product: bars of several lengths, in its own colours. */
export function BrandMark() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1" y="2" width="14" height="3" rx="1" fill="#3a6fd8" />
      <rect x="1" y="6.5" width="6" height="3" rx="1" fill="#2fa37c" />
      <rect x="8" y="6.5" width="7" height="3" rx="1" fill="#d9822b" />
      <rect x="1" y="11" width="3" height="3" rx="1" fill="#8a5cc9" />
      <rect x="5" y="11" width="6" height="3" rx="1" fill="#c9546a" />
    </svg>
  );
}

export const TimelineIcon = () => (
  <Icon>
    <path d="M2 3.5h7M5 8h9M3.5 12.5h5" />
  </Icon>
);

export const ToolIcon = () => (
  <Icon>
    <path d="M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5v-6.5M13.5 13.5v-11" />
  </Icon>
);

export const ShareIcon = () => (
  <Icon>
    <path d="M8 9.5v-7M5.2 5L8 2.2 10.8 5M4.5 7.5h-1v6h9v-6h-1" />
  </Icon>
);

export const PictureIcon = () => (
  <Icon>
    <path d="M2.5 3.5h11v9h-11zM3 11l3-3 2.5 2.5 2-2L13 11M10.4 6h.1" />
  </Icon>
);
