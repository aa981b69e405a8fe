/** Answers for a page without a server: loaded where there is none. */

import {
  ApiError,
  ArchiveHost,
  type Fetch,
  httpRanges,
  NetworkError,
  type OpenApiJson,
  type ToolEntry,
} from "@tilescope/client";
import { RUN_PARAMETER, siteArchive } from "./site-archive";

function fullAddress(address: string): string {
  return new URL(address, location.href).href;
}

/** A file beside the page, of the version that the page is of; asked for once. */
function fileBeside<T>(name: string): () => Promise<T> {
  let file: Promise<T> | null = null;
  const load = async (): Promise<T> => {
    const answer = await fetch(name).catch((error: unknown) => {
      throw new NetworkError(`${name} cannot be had`, { cause: error });
    });
    if (!answer.ok) {
      throw new ApiError(answer.status, "not_found", `${name} is not beside this page`);
    }
    return (await answer.json().catch(() => {
      throw new ApiError(502, "unreadable", `${name} beside this page is no JSON`);
    })) as T;
  };
  return () => {
    file ??= load();
    file.catch(() => {
      file = null;
    });
    return file;
  };
}

const toolList = fileBeside<{ readonly tools: readonly ToolEntry[] }>("tools.json");

const host = new ArchiveHost(new URLSearchParams(location.search).get(RUN_PARAMETER) ?? siteArchive ?? "", {
  readRanges: (address) => {
    if (!/^https?:/.test(fullAddress(address))) {
      throw new ApiError(400, "bad_request", "an archive is read from an address that begins with https:// or http://");
    }
    return httpRanges(fullAddress(address));
  },
  fullAddress,
  loadTools: async () => (await toolList()).tools,
  loadQuestions: fileBeside<OpenApiJson>("questions.json"),
});

/** Answers what a server would be asked. */
export const archiveFetch: Fetch = host.fetch;
