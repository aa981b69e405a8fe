/** Error of decoding: the bytes are not as docs/page-format.md says. */
export class FormatError extends Error {
  override readonly name = "FormatError";
}
