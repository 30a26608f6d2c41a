import type { Ctx } from "../../platform/core/ctx.ts";
import { badRequest, conflict } from "../../platform/core/errors.ts";
import { withRestAndGc } from "../../platform/queue/yielding.ts";
import { planLimitsOf, usageStatement } from "../billing/quota-store.ts";
import {
  LINE_TOO_LONG,
  MAX_FILE_BYTES,
  MAX_LINE_LENGTH,
  pieceEnd,
  storePiece,
  unfinishedLength,
} from "./piece-store.ts";
import { deleteImportRows, findImport, rejectFile } from "./row-store.ts";

/** A file may be this many times larger than the storage of a plan, because it contains field names and versions. */
const MAX_OVERHEAD = 4;

async function maxFileBytes(ctx: Ctx): Promise<number> {
  const [usage] = await usageStatement(ctx);
  const { bytes } = planLimitsOf(ctx, usage?.plan_tier ?? "self_hosted");
  return bytes === undefined ? MAX_FILE_BYTES : Math.min(MAX_FILE_BYTES, MAX_OVERHEAD * bytes);
}

type FilePart = {
  body: ReadableStream<Uint8Array> | null;
  start: number;
  length?: number;
  isLast: boolean;
  /** Whether it starts an import, which is deleted if the length is wrong. */
  isNew?: boolean;
};

/** Rejects a part whose length differs from Content-Range. Stored pieces stay, as after a lost connection. */
async function rejectLength(ctx: Ctx, id: string, { length, isNew }: FilePart): Promise<never> {
  if (isNew) await deleteImportRows(ctx, id);
  throw badRequest(`The body must have exactly the ${length} bytes that Content-Range names`);
}

/**
 * Receives a part. After an interruption, everything after the last stored piece must be sent again. Throws 400 for a
 * wrong length.
 */
export async function receivePart(ctx: Ctx, id: string, part: FilePart): Promise<void> {
  let { received } = await findImport(ctx, id);
  const most = await maxFileBytes(ctx);
  if (part.start !== received) throw conflict(`The upload continues at byte ${received}, not ${part.start}`);
  // Invalid UTF-8 becomes U+FFFD and then fails the checksum.
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  let rest = "";
  let line = 0;
  const storeUntil = async (end: number) => {
    const piece = rest.slice(0, end);
    line = unfinishedLength(line, piece);
    if (line > MAX_LINE_LENGTH) await rejectFile(ctx, id, LINE_TOO_LONG);
    received = await withRestAndGc(() => storePiece(ctx, { id, received, most }, piece));
    rest = rest.slice(end);
  };
  const storePieces = async (isLast: boolean) => {
    for (let end = pieceEnd(rest, isLast); end > 0; end = pieceEnd(rest, isLast)) await storeUntil(end);
  };
  let bodyBytes = 0;
  for await (const chunk of part.body ?? []) {
    bodyBytes += chunk.length;
    if (bodyBytes > (part.length ?? bodyBytes)) await rejectLength(ctx, id, part);
    rest += decoder.decode(chunk, { stream: true });
    await storePieces(false);
  }
  if (bodyBytes < (part.length ?? bodyBytes)) await rejectLength(ctx, id, part);
  await storePieces(true);
  if (part.isLast && rest + decoder.decode() !== "") await rejectFile(ctx, id, "it ends within a line");
  // The part is shorter than its line, which continues in the next part.
  if (received === part.start && rest !== "") await storeUntil(rest.length);
}
