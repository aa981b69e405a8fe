/** The page of an archive: a copy of the viewer on a host of files (`tilescope archive --site`), which has no server. */

/** The address of the archive that the page opens by itself, "" for none; null: a server has sent the page. */
export const siteArchive: string | null =
  globalThis.document?.querySelector<HTMLMetaElement>("meta[name=tilescope-archive]")?.content ?? null;

/** Name of the run in addresses. Pages of servers know no archives: they ignore the name. */
export const RUN_PARAMETER = siteArchive === null ? "run" : "archive";
