/** The noun for the hosts of a run: ranks of a job stand where hosts do, and are called so. Pure. */

const RANK = /^rank \d+(?: |$)/;

export interface HostNoun {
  /** As in "All 8 ranks". */
  readonly many: "hosts" | "ranks";
  /** As a heading. */
  readonly title: "Host" | "Rank";
  readonly titleOfMany: "Hosts" | "Ranks";
}

const HOST: HostNoun = { many: "hosts", title: "Host", titleOfMany: "Hosts" };
const RANK_NOUN: HostNoun = { many: "ranks", title: "Rank", titleOfMany: "Ranks" };

/** Ranks, if all hosts of these names are. */
export function hostNoun(names: readonly string[]): HostNoun {
  return names.length > 0 && names.every((name) => RANK.test(name)) ? RANK_NOUN : HOST;
}

/** Hosts of a run in words: `All 4 hosts`, or `2 of 4 hosts` where others are missing, as the track tree counts them. */
export function hostCount(names: readonly string[], missing: number): string {
  const { many } = hostNoun(names);
  return missing === 0 ? `All ${names.length} ${many}` : `${names.length} of ${names.length + missing} ${many}`;
}
