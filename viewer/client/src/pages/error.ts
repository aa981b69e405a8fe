/** What decoding throws when bytes are not what docs/page-format.md says. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}
