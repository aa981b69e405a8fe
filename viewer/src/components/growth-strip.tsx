import { useApp } from "./app-context";
import { formatCount, formatPercent, formatSecondsLeft, phaseText } from "./format";

export function GrowthStrip() {
  const { pane } = useApp();
  const progress = pane.growth.value;
  if (progress === null) {
    return null;
  }
  const { fraction, phase, events, secondsLeft, blocks, blocksDone } = progress;
  const parts = [
    formatPercent(fraction),
    ...(events > 0n ? [`${formatCount(events)} events`] : []),
    ...(blocks > 0 ? [`${formatCount(blocksDone)} of ${formatCount(blocks)} blocks`] : []),
    ...(secondsLeft === null ? [] : [formatSecondsLeft(secondsLeft)]),
  ];
  const { provisional } = pane.drawStatus.value;
  return (
    <div class="growth">
      <div
        class="growth-bar"
        role="progressbar"
        aria-label="Indexing"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(fraction * 100)}
        style={{ width: `${Math.max(0, Math.min(1, fraction)) * 100}%` }}
      />
      <span class="growth-text">
        <strong>{phaseText(phase)}</strong> {parts.join(" · ")}
      </span>
      {provisional > 0 && (
        <span class="growth-note">Hatched tracks are previews: roughly how busy they are, until they are indexed</span>
      )}
    </div>
  );
}
