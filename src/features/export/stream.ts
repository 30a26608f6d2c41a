import { Buffer } from "node:buffer";
import { type QueueOwner, runStartedPart } from "../../platform/queue/account-queue.ts";
import { collectGarbage } from "../../platform/queue/garbage.ts";

const CHUNK = 64 * 1024;
const STEP = 16;

type Pieces = AsyncGenerator<Uint8Array>;

/** The next pieces, combined up to the chunk size; undefined at the end. */
async function nextChunk(pieces: Pieces): Promise<Uint8Array | undefined> {
  const chunk: Uint8Array[] = [];
  for (let size = 0; size < CHUNK; ) {
    const { value, done } = await pieces.next();
    if (done) break;
    chunk.push(value);
    size += value.length;
  }
  return chunk.length > 1 ? Buffer.concat(chunk) : chunk[0];
}

/** Streams pieces of an account's export only as fast as they are read, through the account's queue. */
export function exportStream(who: QueueOwner, pieces: Pieces): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await runStartedPart(who, () => nextChunk(pieces));
        if (!chunk) return controller.close();
        controller.enqueue(chunk);
        sent += 1;
        if (sent % STEP === 0) collectGarbage();
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
