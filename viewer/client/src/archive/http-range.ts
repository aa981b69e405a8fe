/** Ranges of a file on a web server. */

import { ApiError, NetworkError } from "../net/error";
import type { ByteRange } from "./header";
import type { RangeAnswer, ReadRange } from "./range-reader";

const PARTIAL = 206;
const BEYOND_THE_END = 416;

/**
 * A function that reads ranges of the file at an address. It rejects with ApiError, for a host without ranges with code `no_ranges`, and
 * with NetworkError where the host does not answer.
 *
 * Nothing is kept by the browser's own cache: it would let requests for one file wait for one another.
 */
export function httpRanges(
  url: string,
  fetcher: (input: string, init: RequestInit) => Promise<Response> = (input, init) => fetch(input, init),
): ReadRange {
  return async (range) => {
    const abort = new AbortController();
    let response: Response;
    try {
      response = await fetcher(url, {
        headers: { Range: `bytes=${range.start}-${range.stop - 1}` },
        cache: "no-store",
        credentials: "same-origin",
        signal: abort.signal,
      });
    } catch (error) {
      throw new NetworkError("the host of the archive does not answer, or does not allow this page to read it", {
        cause: error,
      });
    }
    if (response.status === PARTIAL) {
      return await partOf(response, range);
    }
    abort.abort(); // the whole file may be on its way
    throw refusal(response, url);
  };
}

async function partOf(response: Response, range: ByteRange): Promise<RangeAnswer> {
  const [, start] = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "") ?? [];
  if (start !== undefined && Number(start) !== range.start) {
    throw new ApiError(response.status, "unreadable", "the host of the archive sent other bytes than it was asked for");
  }
  try {
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { bytes: bytes.subarray(0, range.stop - range.start), etag: response.headers.get("etag") };
  } catch (error) {
    throw new NetworkError("the answer of the host of the archive broke off", { cause: error });
  }
}

function refusal({ status, headers }: Response, url: string): ApiError {
  const retryAfter = headers.get("retry-after");
  if (status === 200) {
    const advice = "serve it with nginx, Caddy or a bucket, or open it with `tilescope view`";
    return new ApiError(422, "no_ranges", `This host sends whole files alone, no ranges of bytes: ${advice}.`);
  }
  if (status === BEYOND_THE_END) {
    return new ApiError(status, "unreadable", `the file at ${url} is empty, or shorter than it was`);
  }
  return status === 404
    ? new ApiError(status, "not_found", `There is no archive at ${url}`)
    : new ApiError(status, "unknown", `the host of the archive answered ${status} for ${url}`, retryAfter);
}
