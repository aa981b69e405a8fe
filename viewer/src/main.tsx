import { render } from "preact";
import { App } from "./app/app";
import { Shell } from "./app/shell";
import { listenToKeys } from "./keys/listen";
import { LateCode } from "./state/late-code";
import { connectSettings } from "./state/settings";
import { leaveTypeAhead, typeAhead } from "./state/typed-ahead";
import { pressPageKey } from "./tools/keys";
import { currentPage } from "./tools/registry";
import { timelinePage } from "./tools/timeline/page";

connectSettings();
const app = new App();
const root = document.getElementById("app");
if (root !== null) {
  render(<Shell app={app} />, root);
}
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
