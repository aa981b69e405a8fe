/**
 * Errors between viewer and server.
 *
 *   ApiError            the server answered, with a code of docs/api.md; `unreadable`: with something that is no JSON
 *   NetworkError        the server did not answer
 *     AwayError         nor was it asked: it is known to be away
 */

import type { ErrorCode } from "../base/schema";

/** Code of an error that the server reports; a later server may have more. */
export type ApiCode = ErrorCode | (string & {});

/** The server answered with an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: ApiCode;
  /** As the server has sent it; null: it does not say when to ask again. */
  readonly retryAfter: string | null;

  constructor(status: number, code: ApiCode, message: string, retryAfter: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The server did not answer. */
export class NetworkError extends Error {
  override readonly name: string = "NetworkError";
}

/** The server was not asked: whoever fetches knows that it is away. Nobody tries again before it is back. */
export class AwayError extends NetworkError {
  override readonly name = "AwayError";
}
