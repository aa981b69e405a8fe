/** Parameters of a tool, as the server's description of its API (OpenAPI) has them. */

/** Values that a field allows: JSON Schema, as far as fields use it. */
export interface FieldSchema {
  readonly type: "string" | "integer" | "boolean";
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: string | number | boolean;
  /** Meaning of a text: a host of the run, by its name in the manifest. */
  readonly "x-names"?: string;
}

/** A field of a tool's question. */
export interface ToolField {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: FieldSchema;
}

interface ParameterJson extends ToolField {
  readonly in: "path" | "query";
}

/** The part of the description that is read. */
export interface OpenApiJson {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: readonly ParameterJson[] } } | undefined>
  >;
}

/** A parameter of all tools that is none of their questions: which table is wanted. */
const TABLE = "table";

/** The fields of a tool's question in their order; none where there is no such tool. */
export function toolFields({ paths }: OpenApiJson, tool: string): readonly ToolField[] {
  const path = Object.keys(paths).find((name) => name.endsWith(`/tools/${tool}`));
  const parameters = paths[path ?? ""]?.get?.parameters ?? [];
  return parameters
    .filter((parameter) => parameter.in === "query" && parameter.name !== TABLE)
    .map(({ name, description, required, schema }) => ({ name, description, required, schema }));
}
