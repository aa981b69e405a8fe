/** Note on figures of several tracks whose clocks are shifted differently. */

export function MixedClocks() {
  return (
    <p class="page-note" role="status">
      The clocks of these tracks are shifted differently: figures are of the times that were recorded.
    </p>
  );
}
