const CHUNK = 256 * 1024;

/** The bytes of a file, a piece at a time. */
export async function* chunksOf(file: Blob, size = CHUNK): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += size)
    yield new Uint8Array(await file.slice(start, start + size).arrayBuffer());
}
