"""The TypeScript types of the API are those of the schema, and say what JSON has and what is better."""

from __future__ import annotations

from tests.server.write_types import JOB_TYPES, TYPES, Types, described_types


def test_the_types_of_the_client_are_those_of_the_schema() -> None:
    assert TYPES.read_text() == described_types().text(), "written by hand, or out of date: make types"
    assert JOB_TYPES.read_text() == described_types().job_text(), "written by hand, or out of date: make types"


def test_what_json_cannot_say_has_a_type_of_its_own() -> None:
    of = {
        "Run": {
            "description": "A run.",
            "properties": {
                "size_bytes": {"type": "string", "format": "int64", "description": "On disk."},
                "busy": {"anyOf": [{"type": "string", "format": "int64", "x-unit": "ticks"}, {"type": "null"}]},
                "counts": {"type": "object", "additionalProperties": {"type": "string", "format": "int64"}},
                "rows": {"type": ["integer", "null"]},
            },
            "required": ["size_bytes", "busy", "counts"],
        },
        "Name": {"description": "A name.", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    }
    assert (
        Types(of)
        .text()
        .endswith(
            """\
/** A run. */
export interface Run {
  /** On disk. */
  readonly sizeBytes: bigint;
  readonly busyTicks: Ticks | null;
  readonly counts: Readonly<Record<string, bigint>>;
  readonly rows: number | null | undefined;
}

/** Run as JSON has it. */
export interface RunJson {
  readonly size_bytes: string;
  readonly busy: string | null;
  readonly counts: Readonly<Record<string, string>>;
  readonly rows?: number | null;
}

/** Run of its JSON. */
export function readRun(json: RunJson): Run {
  return {
    sizeBytes: BigInt(json.size_bytes),
    busyTicks: json.busy === null ? null : ticks(json.busy),
    counts: Object.fromEntries(Object.entries(json.counts).map(([name, value]) => [name, BigInt(value)])),
    rows: json.rows,
  };
}

/** A name. */
export interface Name {
  readonly text: string;
}
"""
        )
    )
