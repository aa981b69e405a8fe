/** Two steps that somebody compares, picked one after the other. Pure. */

/** `second` null: the mean of all others. */
export interface ComparedSteps {
  readonly first: bigint;
  readonly second: bigint | null;
}

/**
 * The comparison after a step was picked: the first, then the second, then anew. A step that is picked already is
 * taken away; null: none is left.
 */
export function picked(compared: ComparedSteps | null, step: bigint): ComparedSteps | null {
  if (compared === null) {
    return { first: step, second: null };
  }
  const { first, second } = compared;
  if (step === first) {
    return second === null ? null : { first: second, second: null };
  }
  return step === second
    ? { first, second: null }
    : second === null
      ? { first, second: step }
      : { first: step, second: null };
}

/** The letter of a step in the comparison; "" where it is not in it. */
export function letterOf(compared: ComparedSteps | null, step: bigint): string {
  return step === compared?.first ? "A" : step === compared?.second ? "B" : "";
}

/** Effect of picking a step, in words. */
export function pickHint(compared: ComparedSteps | null, step: bigint): string {
  if (compared === null) {
    return "Click: compare with others";
  }
  if (letterOf(compared, step) !== "") {
    return "Click: stop comparing";
  }
  return compared.second === null ? `Click: compare with step ${compared.first}` : "Click: compare this one instead";
}
