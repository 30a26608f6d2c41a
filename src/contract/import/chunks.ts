const CHUNK = 256 * 1024;

/** The bytes of a file in chunks. */
export async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += CHUNK)
    yield new Uint8Array(await file.slice(start, start + CHUNK).arrayBuffer());
}
