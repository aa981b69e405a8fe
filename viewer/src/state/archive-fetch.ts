/** Answers for a page without a server, from an archive. Loaded where there is no server. */

import { ApiError, ArchiveHost, type Fetch, httpRanges, NetworkError, type ToolEntry } from "@tilescope/client";
import { RUN_PARAMETER, siteArchive } from "./site-archive";

function fullAddress(address: string): string {
  return new URL(address, location.href).href;
}

/** Tools of the version that the page is of: a file beside it. */
async function loadTools(): Promise<readonly ToolEntry[]> {
  try {
    const answer = await fetch("tools.json");
    return answer.ok ? ((await answer.json()) as { readonly tools: readonly ToolEntry[] }).tools : [];
  } catch (error) {
    throw new NetworkError("the list of tools cannot be had", { cause: error });
  }
}

const host = new ArchiveHost(new URLSearchParams(location.search).get(RUN_PARAMETER) ?? siteArchive ?? "", {
  readRanges: (address) => {
    if (!/^https?:/.test(fullAddress(address))) {
      throw new ApiError(400, "bad_request", "an archive is read from an address that begins with https:// or http://");
    }
    return httpRanges(fullAddress(address));
  },
  fullAddress,
  loadTools,
});

/** Answers what a server would be asked. */
export const archiveFetch: Fetch = host.fetch;
