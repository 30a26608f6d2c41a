import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import * as documents from "../../../src/features/documents/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";

// The index is merged by what writes to it.

const segments = async () =>
  (await env.DB.prepare("SELECT count(DISTINCT segid) AS n FROM search_index_idx").first<{ n: number }>())
    ?.n ?? 0;

const note = (number: number) => ({
  title: `Note ${number}`,
  content: {
    text: Array.from({ length: 60 }, (_, word) => `word${(number * 31 + word * 7) % 997}`).join(" "),
  },
});

/** SQLite merges so many of one size at once, however large they are. Here there are up to three sizes. */
const SIXTEEN = 16;
const FEW = 24;

const create = (who: Client, number: number) => who.ok(documents.createDocumentRoute, { json: note(number) });

test("very many small writes leave few segments, at every moment", async () => {
  const ada = await person();
  let most = 0;
  for (let number = 0; number < 150; number++) {
    await create(ada, number);
    most = Math.max(most, await segments());
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan(FEW);
});

test("one text that is saved again and again leaves few segments, whatever it is called", async () => {
  const ada = await person();
  for (const title of ["a", "b", "c", "d"]) {
    const { id } = await ada.ok(documents.createDocumentRoute, { json: { title } });
    const params = { document_id: id };
    for (let length = 1; length <= 60; length++) {
      await ada.ok(documents.updateDocumentRoute, {
        params,
        json: { content: { text: "word ".repeat(length) } },
      });
      expect(await segments(), title).toBeLessThan(SIXTEEN - 2);
    }
  }
});

test("the cron handler merges what is left, and then leaves the index alone", async () => {
  const ada = await person();
  for (let number = 0; number < 20; number++) await create(ada, number);
  await cron();
  const merged = await segments();
  await cron();
  expect(await segments()).toBe(merged);
  expect(merged).toBeLessThan(FEW);
});
