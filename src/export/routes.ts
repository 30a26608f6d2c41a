import { Buffer } from "node:buffer";
import { createRoute, z } from "@hono/zod-openapi";
import { createRouter, errors, SECURITY } from "../core/openapi.ts";
import { noteEvent } from "../security-events/store.ts";
import { EXAMPLE_FILE } from "./example.ts";
import { exportLines } from "./store.ts";

const tags = ["Export and import"];

/** How many bytes are sent at a time. */
const CHUNK = 64 * 1024;

export const exportAccountRoute = createRoute({
  method: "get",
  path: "/",
  operationId: "exportAccount",
  tags,
  summary: "Everything that the caller owns, as a file",
  description:
    "NDJSON, streamed: `header`; settings, folders, documents (including the trash) each followed by its versions, " +
    "memory records each followed by its events; " +
    "`manifest` with the count and the SHA-256 of each section; `end` with the SHA-256 of all lines before it. A file " +
    "without the `end` line is incomplete, and POST /api/import refuses it.",
  security: SECURITY,
  responses: {
    200: {
      description: "The file",
      content: { "application/x-ndjson": { schema: z.string(), example: EXAMPLE_FILE } },
    },
    ...errors(401),
  },
});

/** Streams lines as bytes, producing them only as fast as they are read and combining short ones. */
function streamOf(lines: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk: Uint8Array[] = [];
        for (let size = 0; size < CHUNK; ) {
          const { value, done } = await lines.next();
          if (done) {
            if (chunk.length > 0) controller.enqueue(Buffer.concat(chunk));
            return controller.close();
          }
          chunk.push(value);
          size += value.length;
        }
        const [only] = chunk;
        controller.enqueue(only && chunk.length === 1 ? only : Buffer.concat(chunk));
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
