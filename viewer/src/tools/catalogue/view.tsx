/** Asks a tool what its form says, when the page is shown and when one has changed it, and draws the answer. */

import type { ToolAnswer, ToolEntry, ToolField, ToolTable } from "@tilescope/client";
import type { ComponentType } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AnswerView } from "../../answers/answer-view";
import type { RowWay } from "../../answers/links";
import type { ComparedSteps } from "../../answers/step-comparison";
import { Answered, StateCard, sentence } from "../../requests/states";
import { useRequest } from "../../requests/use-request";
import { isGrowing } from "../../state/answer-values";
import type { PageContext, PageProps, PageTexts } from "../contract";
import { changedTexts } from "../field-texts";
import { answerInWords } from "../frame/answer-words";
import { placesOf } from "../frame/run-places";
import { Incomplete } from "../frame/tool-answer";
import { useAnswer } from "../frame/use-answer";
import { bothTimelines, hasOtherPlaces, otherRun } from "./both-timelines";
import { COMPARED, comparedSteps, withCompared } from "./compared-steps";
import { FoldedForm } from "./folded-form";
import { type FormField, faults, formFields, formTexts, inFormWords, narrowingTexts, questionOf } from "./form-fields";
import { PanesIcon } from "./panes-icon";

type ViewProps = PageProps<PageTexts>;

/** The view of a tool's page. */
export function viewOf(tool: ToolEntry): ComponentType<ViewProps> {
  return (props) => <CatalogueView tool={tool} {...props} />;
}

type OfTool<Props> = Props & { readonly tool: ToolEntry };

function CatalogueView(props: OfTool<ViewProps>) {
  const { api } = props.context.trace;
  const described = useRequest(props.tool.id, (signal) => api.toolFields(props.tool.id, signal));
  return <Answered request={described}>{(toolFields) => <Described toolFields={toolFields} {...props} />}</Answered>;
}

function Described({ toolFields, ...props }: OfTool<ViewProps> & { readonly toolFields: readonly ToolField[] }) {
  const { context, fields: texts, setFields } = props;
  const form = useMemo(() => formFields(toolFields), [toolFields]);
  const wrong = Object.values(faults(form, texts));
  const [isRefused, setIsRefused] = useState(false);
  return (
    <>
      <div class="tool-bar is-flat">
        {form.length > 0 && (
          <FoldedForm
            fields={form}
            texts={texts}
            isFaulty={wrong.length > 0 || isRefused}
            places={placesOf(context.trace)}
            hosts={context.trace.manifest.hosts}
            onAsk={(next) => setFields(changedTexts(formTexts(form), texts, next))}
          />
        )}
        <p class="page-of">Figures are of {context.rangeText}.</p>
      </div>
      {wrong.length > 0 ? (
        <StateCard title="Fill in the form" state="asking">
          <p>{Object.keys(texts).length === 0 ? "Fill in what is marked with *, and press Show." : wrong.join(" ")}</p>
        </StateCard>
      ) : (
        <Answer {...props} toolFields={toolFields} onRefused={setIsRefused} />
      )}
    </>
  );
}

interface AskedProps {
  readonly toolFields: readonly ToolField[];
  /** The question as it is was refused, or no longer: what has to be changed is in the form. */
  readonly onRefused: (isRefused: boolean) => void;
}

type AnswerPartProps = OfTool<ViewProps> & AskedProps;

function Answer({ tool, toolFields, onRefused, context, fields: texts, setFields }: AnswerPartProps) {
  const question = questionOf(toolFields, texts);
  const request = useAnswer(context, tool.id, question);
  const { kind } = request.state;
  useEffect(() => onRefused(kind === "failed"), [kind, onRefused]);
  const form = useMemo(() => formFields(toolFields), [toolFields]);
  const words = (message: string) => inFormWords(form, message);
  const takesSteps = toolFields.some(({ name }) => name === "steps");
  const compares = toolFields.some(({ name }) => name === COMPARED);
  const opened = useRef<{ readonly field: string; readonly text: string; readonly table: string } | null>(null);
  const lastAnswer = useRef<ToolAnswer | null>(null);
  const links = useMemo(
    () => ({
      ...context,
      steps: takesSteps ? (context.steps ?? null) : null,
      comparison: compares
        ? {
            compared: comparedSteps(texts, context.range),
            compare: (steps: ComparedSteps | null) => setFields(withCompared(texts, steps)),
          }
        : null,
      beside: (table: ToolTable) => (hasOtherPlaces(table) ? [besideWay(table, form, texts, context)] : []),
      narrower: {
        texts: narrowingTexts(form, texts),
        ask: (field: string, text: string) => {
          opened.current = { field, text, table: tableBehind(lastAnswer.current, field) };
          setFields({ ...texts, [field]: text });
        },
      },
    }),
    [context, takesSteps, compares, form, texts, setFields],
  );
  const wanted = useMemo(() => {
    const { field = "", text = "", table = "" } = opened.current ?? {};
    return table !== "" && texts[field] === text ? { table, row: 0 } : null;
  }, [texts]);
  const takesMore = toolFields.some(({ name }) => name === "after");
  return (
    <Answered
      request={request}
      words={words}
      isEmpty={isEmptyAnswer}
      empty={({ headline, facts }) => (
        <StateCard title="Nothing there" state="empty">
          <p>{headline?.text ?? `Nothing of this kind in ${context.rangeText}.`}</p>
          {[...new Set(facts.map(({ note }) => note))].filter(Boolean).map((note) => (
            <p key={note}>{sentence(words(note))}</p>
          ))}
        </StateCard>
      )}
    >
      {(answer) => {
        lastAnswer.current = answer;
        return (
          <>
            {isGrowing(answer) && <Incomplete />}
            <AnswerView
              tool={tool}
              wanted={wanted}
              answer={answerInWords(answer, words)}
              links={links}
              rangeText={context.rangeText}
              pictures="first"
              onMore={takesMore ? (more) => setFields({ ...texts, after: more }) : null}
            />
          </>
        );
      }}
    </Answered>
  );
}

/** The way from a row into the timelines of both runs that a page compares; the run itself is the other where none is chosen. */
function besideWay(table: ToolTable, form: readonly FormField[], texts: PageTexts, context: PageContext): RowWay {
  const name = form.find(({ input }) => input.kind === "build")?.name ?? "";
  const text = texts[name] ?? "";
  const run = text === "" ? context.trace.manifest.run : otherRun(text);
  const address = (row: number) => (run === null ? null : bothTimelines(location.hash, table, row, run));
  return {
    label: "Show in both timelines",
    icon: PanesIcon,
    leads: (row) => address(row) !== null,
    go: (row) => {
      location.hash = address(row)!; // a new entry of the history: Back returns to the page
    },
  };
}

/** The table of a value that a row or a point leads to: the first in which the field is no heading, but a part of each row. */
function tableBehind(answer: ToolAnswer | null, field: string): string {
  const behind = answer?.tables.find(({ columns }) => columns.slice(1).some(({ id }) => id === field));
  return (behind ?? answer?.tables.find(({ columns }) => columns[0]?.id === field))?.id ?? "";
}

/** An answer in which nothing is said: no row, no point of a series, no note, and no figure but zeros. */
export function isEmptyAnswer({ facts, tables, series, notes }: ToolAnswer): boolean {
  return (
    notes.length === 0 &&
    facts.every(({ kind, value }) => kind === "text" || value === null || Number(value) === 0) &&
    tables.every(({ columns }) => (columns[0]?.values.length ?? 0) === 0) &&
    series.every(({ x }) => x.values.length === 0)
  );
}
