import { expect, it } from "vitest";
import { copiedText } from "./address-writer";

it("says of a link that has been copied what it lacks, and when others may cut it", () => {
  expect(copiedText("http://a/", { parts: {} })).toBe("Link copied.");
  expect(copiedText("a".repeat(9123), { parts: {} })).toBe(
    "Link copied. It has 9,123 characters: some programs cut links after 8,000.",
  );
  expect(copiedText("http://a/", { parts: { closed: "1.".repeat(3000), at: "x" } })).toBe(
    "Link copied, without what is too long for it: closed groups.",
  );
});
