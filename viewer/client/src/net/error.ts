/**
 * What can go wrong between viewer and server.
 *
 *   ApiError            the server answered, with a code of docs/api.md
 *   NetworkError        the server did not answer
 */

export type ApiCode = "not_indexed" | "bad_trace" | "unknown_build" | "not_found" | (string & {});

export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: ApiCode,
    message: string,
  ) {
    super(message);
  }
}

export class NetworkError extends Error {
  override readonly name = "NetworkError";
}
