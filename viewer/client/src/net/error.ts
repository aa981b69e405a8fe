/**
 * What can go wrong between viewer and server.
 *
 *   ApiError            the server answered, with a code of docs/api.md
 *   NetworkError        the server did not answer
 */

import type { ErrorCode } from "../base/schema";

/** What a server says that went wrong; a later one may say more. */
export type ApiCode = ErrorCode | (string & {});

/** The server answered with an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: ApiCode;

  constructor(status: number, code: ApiCode, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The server did not answer. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}
