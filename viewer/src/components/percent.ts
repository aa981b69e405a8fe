/** Shares in percent as people read them: one function for all pages. */

/** 0.4137 → `41.4`. More than nothing is never `0.0`, less than all never `100.0`: `<0.1`, `>99.9`. */
export function percentDigits(share: number, decimals: number): string {
  const digits = (100 * share).toFixed(decimals);
  const step = 10 ** -decimals;
  if (share > 0 && share < 1 && (Number(digits) === 0 || Number(digits) === 100)) {
    return share < 0.5 ? `<${step.toFixed(decimals)}` : `>${(100 - step).toFixed(decimals)}`;
  }
  return digits;
}
