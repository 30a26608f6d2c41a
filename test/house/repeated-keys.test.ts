import { env } from "cloudflare:workers";
import type { RouteConfig } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { listActivityRoute } from "../../src/features/activity/routes.ts";
import { createDocumentRoute } from "../../src/features/documents/routes.ts";
import { createFolderRoute } from "../../src/features/folders/routes.ts";
import { createMemoryRoute, supersedeMemoryRoute } from "../../src/features/memories/routes.ts";
import { hex, sha256 } from "../../src/platform/core/bytes.ts";
import { type Parts, person } from "../kit/client.ts";
import { numberOf } from "../kit/ctx.ts";
import { OPERATIONS } from "../kit/description.ts";
import { exampleOf } from "../kit/examples.ts";
import { belongings, EXAMPLE_EMAIL } from "../kit/named.ts";

// A request that is repeated with its key takes effect once, in every operation that takes one.

const KEYED = OPERATIONS.filter(({ operation: { parameters = [] } }) =>
  parameters.some(({ name }) => name === "idempotency-key"),
);

/** Their answers contain the current progress of the work. */
const GOING_ON = ["importAccount", "testWebhook", "replayDelivery"];

test.for(KEYED.map((one) => [one.operation.operationId, one] as const))(
  "%s: a repeated key answers as before and takes effect once",
  async ([, offered]) => {
    const ada = await person({ email: EXAMPLE_EMAIL });
    const parts = await exampleOf(offered, belongings(ada), false);
    const headers = { ...parts.headers, "Idempotency-Key": "k" };
    const send = () => ada.call(offered.route, { ...parts, headers });
    const shown = ({ status, text, headers }: Awaited<ReturnType<typeof send>>) =>
      GOING_ON.includes(offered.operation.operationId)
        ? (JSON.parse(text) as { id: string }).id
        : [status, text, ...["ETag", "Location", "Change-Id"].map((name) => headers.get(name))];
    const answers = await Promise.all(Array.from({ length: 4 }, send));
    const first = answers.find(({ status }) => status < 400);
    expect(first, answers[0]?.text).toBeDefined();
    const { items } = await ada.ok(listActivityRoute, { query: { limit: 100 } });
    for (const answer of [...answers, await send()]) {
      // A request that arrives in the meantime waits, or gets a 409.
      if (answer.status === 409) expect(answer.text).toContain("is still running");
      else expect(shown(answer)).toEqual(shown(first as never));
    }
    expect((await ada.ok(listActivityRoute, { query: { limit: 100 } })).items).toEqual(items);
  },
);

test("a request that the release before carried out is recognized by its hash, whatever fields it has", async () => {
  const ada = await person();
  const { id: folder_id } = await ada.ok(createFolderRoute, { json: { name: "Journeys" } });
  const { id: document_id } = await ada.ok(createDocumentRoute, { json: { title: "Board" } });
  // The fields of each request in the order in which every release has hashed them.
  const record = {
    memory_type: "commitment",
    topic: "Send the slides",
    content: "To Grace",
    tags: ["a"],
    scope: "work",
    project: "Apollo",
    priority: "high",
    owed: "by_me",
    due_date: "2099-12-24",
    due_time: "17:00",
    remind: [{ before: "PT30M" }],
    remind_until_done: true,
    repeat: "FREQ=DAILY",
    repeat_from: "due",
    happened_on: "2026-01-02",
    document_id,
  };
  const document = { title: "First", content: { format: "markdown", text: "one" }, folder_id, tags: ["b"] };
  const created_at = "2026-01-02T03:04:05.000Z";
  const requests: [RouteConfig, Parts][] = [
    [createMemoryRoute, { json: { ...record, created_at } }],
    [supersedeMemoryRoute, { params: { memory_id: "1" }, json: record }],
    [createDocumentRoute, { json: { ...document, created_at } }],
    [createFolderRoute, { json: { name: "Trips", parent_id: folder_id } }],
  ];
  for (const [route, parts] of requests) {
    const send = () => ada.call(route, { ...parts, headers: { "Idempotency-Key": "k" } });
    const { status, text } = await send();
    expect(status, text).toBeLessThan(300);
    await env.DB.prepare("UPDATE idempotency_keys SET request_hash = ? WHERE owner = ? AND key = 'k'")
      .bind(hex(await sha256(JSON.stringify(parts.json))), await numberOf(ada))
      .run();
    expect(await send()).toMatchObject({ status, text });
    await env.DB.exec("DELETE FROM idempotency_keys");
  }
});
