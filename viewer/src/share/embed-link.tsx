/** The way from a page that is shown within another to the full viewer. */

import { BrandMark } from "../components/icons";
import { fullAddress } from "../state/location";
import "./embed.css";

export function EmbedLink() {
  // The address is that of the view when one goes.
  const freshen = (event: Event) => {
    (event.currentTarget as HTMLAnchorElement).href = fullAddress(location.href);
  };
  return (
    <a
      class="embed-link"
      href={fullAddress(location.href)}
      target="_blank"
      rel="noopener"
      onFocus={freshen}
      onPointerDown={freshen}
      onClick={freshen}
    >
      <BrandMark />
      Open in Tilescope
    </a>
  );
}
