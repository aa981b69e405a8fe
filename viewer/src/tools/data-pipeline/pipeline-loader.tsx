/** The picture of a pipeline where an answer has one, loaded then: other answers need neither it nor its layout. */

import { useLoaded } from "../../components/use-loaded";
import { OPERATIONS } from "./model";
import type { PipelineProps } from "./pipeline";

export function PipelineLoader(props: PipelineProps) {
  return props.answer.tables.some(({ id }) => id === OPERATIONS) ? <Loading {...props} /> : null;
}

function Loading(props: PipelineProps) {
  const view = useLoaded("data-pipeline", () => import("./pipeline").then(({ DataPipeline }) => DataPipeline));
  if (view.kind === "ready") {
    return <view.value {...props} />;
  }
  return view.kind === "failed" ? <p class="page-note">The picture of the pipeline could not be loaded.</p> : null;
}
