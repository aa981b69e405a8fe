/** The timeline, the first of the pages: it is there from the start, and fills the window by itself. */

import { TimelineIcon } from "../../components/icons";
import { AVAILABLE, NO_FIELDS } from "../contract";
import { definePage } from "../define";
import { TimelineView } from "./view";

export const timelinePage = definePage({
  id: "timeline",
  title: "Timeline",
  help: "All events of the run, at every zoom level.",
  group: "overview",
  icon: TimelineIcon,
  // Its keys are the table of the whole viewer: others have a part of them, too.
  keys: [],
  fields: NO_FIELDS,
  isBare: true,
  availability: () => AVAILABLE,
  load: () => TimelineView,
});
