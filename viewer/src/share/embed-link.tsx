/** The way from a page that is shown within another to the full viewer. */

import { useApp } from "../components/app-context";
import { BrandMark } from "../components/icons";
import { addressNow } from "../state/address-writer";
import { fullAddress } from "../state/location-text";
import "./embed.css";

export function EmbedLink() {
  const { mainPane } = useApp();
  // The address is that of the view when one goes.
  const freshen = (event: Event) => {
    (event.currentTarget as HTMLAnchorElement).href = fullAddress(addressNow(mainPane));
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
