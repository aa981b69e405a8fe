import { expect, test } from "vitest";
import { type OpenApiJson, toolFields } from "./tool-fields";

const description: OpenApiJson = {
  paths: {
    "/x/api/v1/runs/{run}/builds/{build}/tools": { get: { parameters: [] } },
    "/x/api/v1/runs/{run}/builds/{build}/tools/find": {
      get: {
        parameters: [
          { name: "run", in: "path", required: true, description: "", schema: { type: "string" } },
          { name: "text", in: "query", required: true, description: "What.", schema: { type: "string" } },
          { name: "limit", in: "query", required: false, description: "", schema: { type: "integer", default: 5 } },
          { name: "table", in: "query", required: false, description: "", schema: { type: "string" } },
        ],
      },
    },
  },
};

test("the fields of a question are what a tool takes beside run, build and table", () => {
  expect(toolFields(description, "find")).toEqual([
    { name: "text", description: "What.", required: true, schema: { type: "string" } },
    { name: "limit", description: "", required: false, schema: { type: "integer", default: 5 } },
  ]);
});

test("a tool that is not described takes nothing", () => {
  expect(toolFields(description, "gone")).toEqual([]);
});
