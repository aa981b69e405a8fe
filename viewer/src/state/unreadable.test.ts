import { describe, expect, it } from "vitest";
import { unreadable } from "./unreadable";

describe("what cannot be read of an address", () => {
  it("is told part by part", () => {
    expect(unreadable("#v=1&t=450000000")).toEqual(["t=450000000"]);
    expect(unreadable("#v=1&t=0-9&sel=4.1,x&tool=Foo!&zoom=3")).toEqual(["sel=4.1,x", "tool=Foo!", "zoom=3"]);
    expect(unreadable("#v=2&t=0-9")).toEqual(["v=2", "t=0-9"]);
  });

  it("is also what is too long, and cut", () => {
    const long = "a".repeat(5000);
    expect(unreadable(`#v=1&q=${long}`)).toEqual([`q=${long}`]);
    expect(unreadable(`#v=1&tables=${long}&filter=xla,ops`)).toEqual([`tables=${long}`]);
  });

  it("is nothing of what is written here, or says what is so without it", () => {
    expect(unreadable("")).toEqual([]);
    expect(
      unreadable("#v=1&t=007-0100&sel=4.1,4.1&mode=select&color=meaning&in=run&tool=stats&f.by=name,category"),
    ).toEqual([]);
  });
});
