import { render } from "preact";
import { App } from "./app";
import { Shell } from "./components/shell";
import { installEmbeddingApi } from "./embed";
import { listenToKeys } from "./keys/listen";
import { connectExact } from "./state/exact";
import { connectSettings } from "./state/settings";
import type { HeldIntent } from "./timeline/motion";

connectSettings();
connectExact();
const app = new App();
const root = document.getElementById("app");
if (root !== null) {
  render(<Shell app={app} />, root);
}
listenToKeys({
  hold: (intent, isFast) => app.stage.motion.hold(intent as HeldIntent, isFast),
  release: (intent) => app.stage.motion.release(intent as HeldIntent),
  releaseAll: () => app.stage.motion.releaseAll(),
  press: (intent) => app.act(intent),
});
installEmbeddingApi(app);
app.start();
