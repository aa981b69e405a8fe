/** Stand-in for the gestures on the timeline before their code is loaded: they are kept and done then, so that none is lost. */

import { LateCode } from "../state/late-code";
import type { PointerActions } from "./gesture-tracker";
import type { Stage } from "./stage";
import type { ViewNavigator } from "./view-navigator";

/** Loads the code behind the first picture; where that fails, the next gesture tries again. */
export function lateArea(stage: Stage, viewNavigator: ViewNavigator): PointerActions {
  const code = new LateCode(async () => (await import("./area")).connectArea(stage, viewNavigator));
  stage.late.whenHere(() => code.ask());
  return {
    onMeaning: (meaning) => code.ask((area) => area.onMeaning(meaning)),
    onCancel: () => code.ask((area) => area.onCancel()),
    isEdgeAt: (point) => code.here?.isEdgeAt(point) === true,
    isHintAt: (point) => code.here?.isHintAt(point) === true,
  };
}
