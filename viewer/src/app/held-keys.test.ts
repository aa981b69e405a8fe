import { expect, it } from "vitest";
import { heldKeys } from "./held-keys";

function motion() {
  const held = new Map<string, boolean>();
  return {
    held,
    hold: (intent: string, isFast: boolean) => void held.set(intent, isFast),
    release: (intent: string) => void held.delete(intent),
    releaseAll: () => held.clear(),
  };
}

it("moves the pane in use, and no pane once a key is up", () => {
  const [first, second] = [motion(), motion()];
  let inUse = first;
  const keys = heldKeys(() => (inUse === first ? [first, second] : [second, first]));
  keys.hold("pan-right", false);
  keys.hold("zoom-in", true);
  expect([...first.held]).toEqual([
    ["pan-right", false],
    ["zoom-in", true],
  ]);
  inUse = second;
  keys.hold("pan-right", false); // it repeats
  expect([[...first.held.keys()], [...second.held.keys()]]).toEqual([["zoom-in"], ["pan-right"]]);
  keys.release("zoom-in");
  keys.release("pan-right");
  expect([first.held.size, second.held.size]).toEqual([0, 0]);
  keys.hold("pan-left", false);
  inUse = first;
  keys.releaseAll();
  expect(second.held.size).toBe(0);
});
