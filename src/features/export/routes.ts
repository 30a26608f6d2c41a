import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import { createRouter, errors, operation } from "../../platform/http/openapi.ts";
import { noteEvent } from "../../platform/security-events/store.ts";
import { collectGarbage } from "../../platform/turns/garbage.ts";
import { EXAMPLE_FILE } from "./example.ts";
import { exportLines } from "./store.ts";

const tags = ["Export and import"];

const CHUNK = 64 * 1024;
const STEP = 16;

export const exportAccountRoute = operation({
  method: "get",
  path: "/",
  operationId: "exportAccount",
  tags,
  summary: "Export everything that the caller owns",
  description:
    "NDJSON, streamed: `header`; settings, folders, documents (including the trash) each followed by its versions, " +
    "memory records each followed by its events; " +
    "`manifest` with the count and the SHA-256 of each section; `end` with the SHA-256 of all lines before it. A file " +
    "without the `end` line is incomplete, and POST /api/import refuses it.",
  rules: { access: ["docs:read", "memory:read"], daily: "unlimited" },
  responses: {
    200: {
      description: "The file",
      content: { "application/x-ndjson": { schema: z.string(), example: EXAMPLE_FILE } },
    },
    ...errors(401),
  },
});

/** The next lines as bytes, short ones combined; undefined at the end. */
async function nextChunk(lines: AsyncGenerator<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunk: Uint8Array[] = [];
  for (let size = 0; size < CHUNK; ) {
    const { value, done } = await lines.next();
    if (done) break;
    chunk.push(value);
    size += value.length;
  }
  return chunk.length > 1 ? Buffer.concat(chunk) : chunk[0];
}

/** Streams lines as bytes, producing them only as fast as they are read. */
function streamOf(lines: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await nextChunk(lines);
        if (!chunk) return controller.close();
        controller.enqueue(chunk);
        sent += 1;
        if (sent % STEP === 0) collectGarbage();
      },
      async cancel() {
        await lines.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

export const exportRoutes = createRouter().openapi(exportAccountRoute, async (c) => {
  await noteEvent(c.var.ctx, "export_taken");
  const day = c.var.ctx.now.toISOString().slice(0, 10);
  return c.body(streamOf(exportLines(c.var.ctx)), 200, {
    "Content-Type": "application/x-ndjson",
    "Content-Disposition": `attachment; filename="commonplace-${day}.ndjson"`,
  }) as never;
});
