/** CRC-32 as gzip has it. */

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) {
    value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL;
  }
  return value >>> 0;
});

/** The checksum of bytes behind others, whose checksum is `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  for (const byte of bytes) {
    value = TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8);
  }
  return ~value >>> 0;
}
