import { concatBytes } from "@noble/hashes/utils.js";

const NEWLINE = 0x0a;

/** The lines of a file as bytes. Only a line feed ends a line, because JSON strings may contain U+2028. */
export async function* byteLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      yield concatBytes(...pieces, chunk.subarray(start, end));
      pieces = [];
      start = end + 1;
    }
    pieces.push(chunk.subarray(start));
  }
  yield concatBytes(...pieces);
}
