import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { updateDocumentRoute } from "../../../src/features/documents/routes.ts";
import { type Client, person } from "../../kit/client.ts";
import { cron } from "../../kit/hooks.ts";
import { write } from "../../kit/search.ts";

// The index is merged by what writes to it.

const segments = async () =>
  Number(await env.DB.prepare("SELECT count(DISTINCT segid) AS n FROM search_index_idx").first("n"));

/** SQLite merges so many of one size at once, however large they are. Here there are up to three sizes. */
const SIXTEEN = 16;
const FEW = 24;

function create(client: Client, number: number) {
  const words = Array.from({ length: 60 }, (_, word) => `word${(number * 31 + word * 7) % 997}`);
  return write(client, `Note ${number}`, words.join(" "));
}

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
    const params = { document_id: (await write(ada, title)).id };
    for (let length = 1; length <= 60; length++) {
      const json = { content: { text: "word ".repeat(length) } };
      await ada.ok(updateDocumentRoute, { params, json });
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
