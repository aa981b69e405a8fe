import { expect, test } from "vitest";
import { ApiError, NetworkError } from "../net/error";
import { httpRanges } from "./http-range";

const URL_OF_IT = "https://files.example/run.tsarc";

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const requests: RequestInit[] = [];
  const read = httpRanges(URL_OF_IT, async (_url, init) => {
    requests.push(init);
    return new Response(body, { status, headers });
  });
  return { read, requests };
}

test("a range is one request, whose answer says which file it is of", async () => {
  const { read, requests } = answering(206, "abc", { etag: '"7"', "content-range": "bytes 10-12/99" });
  const { bytes, etag, fileBytes } = await read({ start: 10, stop: 13 });
  expect(new TextDecoder().decode(bytes)).toBe("abc");
  expect(etag).toBe('"7"');
  expect(fileBytes).toBe(99);
  expect(requests[0]).toMatchObject({ headers: { Range: "bytes=10-12" }, cache: "no-store" });
});

test("a host without ranges is told of in one line, and its file is not waited for", async () => {
  const { read, requests } = answering(200, "all of it");
  const error = await read({ start: 0, stop: 10 }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ code: "no_ranges", message: expect.stringContaining("no ranges of bytes") });
  expect((requests[0]!.signal as AbortSignal).aborted).toBe(true);
});

test.each([
  [404, "There is no archive at"],
  [416, "is empty, or shorter"],
  [403, "answered 403"],
])("status %i is named", async (status, words) => {
  await expect(answering(status, "").read({ start: 0, stop: 10 })).rejects.toThrow(words);
});

test("a host that is busy says when to ask again; one that does not answer, or sends other bytes, is named", async () => {
  const busy = answering(503, "", { "retry-after": "3" }).read({ start: 0, stop: 10 });
  await expect(busy).rejects.toMatchObject({ status: 503, retryAfter: "3" });
  const lost = httpRanges(URL_OF_IT, () => Promise.reject(new TypeError("failed to fetch")));
  await expect(lost({ start: 0, stop: 10 })).rejects.toThrow(NetworkError);
  const other = answering(206, "abc", { "content-range": "bytes 0-2/99" }).read({ start: 10, stop: 13 });
  await expect(other).rejects.toThrow("other bytes");
});

test("an answer that is longer than the range is given up", async () => {
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(1000));
    },
  });
  const read = httpRanges(URL_OF_IT, async () => new Response(endless, { status: 206 }));
  await expect(read({ start: 0, stop: 5000 })).rejects.toThrow("more bytes");
  expect(sent).toBeLessThan(10);
});
