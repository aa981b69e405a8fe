/** Inflates one gzip member with the browser's own decompressor, off the main thread. */
export async function inflate(member: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([member]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
