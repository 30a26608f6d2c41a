const CHUNK = 256 * 1024;

export async function* fileChunks(file: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < file.size; start += CHUNK)
    yield new Uint8Array(await file.slice(start, start + CHUNK).arrayBuffer());
}
