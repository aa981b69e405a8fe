import { render } from "preact";
import { App } from "./app/app";
import { Shell } from "./app/shell";
import { listenToKeys } from "./keys/listen";
import { LateCode } from "./state/late-code";
import { reading } from "./state/reading";
import { connectSettings } from "./state/settings";
import { leaveTypeAhead, typeAhead } from "./state/typed-ahead";
import { pressPageKey } from "./tools/keys";
import { currentPage } from "./tools/registry";
import { timelinePage } from "./tools/timeline/page";

/** So long the first picture waits for its colours: a grey one takes as much time, after which that in colours comes. */
const PATIENCE_MS = 60;

connectSettings();
const app = new App();
listenToKeys({
  hasTimeline: () => currentPage.peek() === timelinePage,
  typeAhead,
  leaveTypeAhead,
  pressOwn: pressPageKey,
  hold: (intent, isFast) => app.active.peek().stage.motion.hold(intent, isFast),
  release: (intent) => app.active.peek().stage.motion.release(intent),
  releaseAll: () => app.active.peek().stage.motion.releaseAll(),
  isStepping: () => app.active.peek().viewNavigator.stepsUnderWay > 0,
  press: (intent) => app.active.peek().act(intent),
});
new LateCode(async () => (await import("./embed")).installEmbeddingApi(app)).ask();
app.start();
const root = document.getElementById("app");
if (root !== null) {
  void reading.soon(PATIENCE_MS).then(() => render(<Shell app={app} />, root));
}
