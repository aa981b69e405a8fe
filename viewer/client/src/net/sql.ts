/** SQL over the tables of a build: whether it is run, and the rows of a statement. */

import type { SqlOrder, SqlRoom, SqlRows } from "../base/schema";
import type { BuildApi } from "./api";

/** Rules of the server for this client, and the tables. Throws ApiError or NetworkError, as the other does. */
export async function fetchSqlRoom(api: BuildApi, signal?: AbortSignal): Promise<SqlRoom> {
  return (await api.jsonAndHeaders<SqlRoom>("/sql", { signal: signal ?? null })).json;
}

/** Rows of one statement, which selects. An abort ends it on the server, too. */
export async function runSql(api: BuildApi, order: SqlOrder, signal?: AbortSignal): Promise<SqlRows> {
  const headers = { "Content-Type": "application/json" };
  const init = { method: "POST", body: JSON.stringify(order), headers, signal: signal ?? null };
  return (await api.jsonAndHeaders<SqlRows>("/sql", init)).json;
}
