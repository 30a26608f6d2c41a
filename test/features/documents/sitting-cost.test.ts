import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { updateDocument } from "../../../src/features/documents/change-store.ts";
import { createDocument } from "../../../src/features/documents/store.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { person } from "../../kit/client.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { metered } from "../../kit/meter.ts";

// What writing costs, in rows as D1 bills them.

const WORDS = "the plan for the spring market is to bring the honey that was put into jars in autumn".split(
  " ",
);
const textOf = (count: number) =>
  Array.from({ length: count }, (_, number) => `${WORDS[number % WORDS.length]}${number % 7}`).join(" ");

const AT_FIRST = 800;
const SAVES = 40;
/** One every five seconds. */
const SAVES_A_MINUTE = 12;

test("a minute of writing writes at most 120 rows", async () => {
  const ctx = await ctxOf(await person());
  const { session, meter } = metered(openSession(env.DB));
  const metering = { ...ctx, db: openDatabase(session) };
  const writer = { source_type: "web", client_name: undefined, sitting: "3f0c9a52b7d14e86" } as const;
  const content = (words: number) => ({ format: "markdown", text: textOf(words) });
  const { id } = await createDocument(ctx, { title: "Plan", content: content(AT_FIRST) }, writer);
  for (let save = 1; save <= SAVES; save++)
    await updateDocument(metering, id, { content: content(AT_FIRST + 4 * save) }, writer);
  const rows = meter.rowsWritten / SAVES;
  expect(rows * SAVES_A_MINUTE).toBeLessThanOrEqual(120);
});
