/** Ranges of a file on a web server. */

import { ApiError, NetworkError } from "../net/error";
import { FormatError } from "../pages/error";
import type { ByteRange } from "./header";
import { joined } from "./joined";
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
      return await partOf(response, range, abort);
    }
    abort.abort(); // the whole file may be on its way
    throw refusal(response, url);
  };
}

async function partOf(response: Response, range: ByteRange, abort: AbortController): Promise<RangeAnswer> {
  const [, start, size] = /^bytes (\d+)-\d+(?:\/(\d+))?/.exec(response.headers.get("content-range") ?? "") ?? [];
  if (start !== undefined && Number(start) !== range.start) {
    abort.abort();
    throw new ApiError(response.status, "unreadable", "the host of the archive sent other bytes than it was asked for");
  }
  const bytes = await bodyOf(response, range.stop - range.start);
  if (bytes === null) {
    abort.abort();
    throw new FormatError("the host of the archive sent more bytes than it was asked for");
  }
  return { bytes, etag: response.headers.get("etag"), fileBytes: size === undefined ? null : Number(size) };
}

/** All bytes of an answer; null where they are more than `most`: an answer may be without an end. */
async function bodyOf({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    const reader = body?.getReader();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) {
        return joined(parts);
      }
      length += value.length;
      if (length > most) {
        return null;
      }
      parts.push(value);
    }
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
