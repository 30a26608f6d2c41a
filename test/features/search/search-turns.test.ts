import { describe, expect, test } from "vitest";
import { createApiKeyRoute } from "../../../src/features/api-keys/routes.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import { searchRoute } from "../../../src/features/search/routes.ts";
import { Client, person } from "../../kit/client.ts";
import { initialize, stateless, use } from "../../kit/mcp.ts";

// An account's searches run one after the other, so that they do not keep everybody else waiting.

const search = (client: Client) => client.call(searchRoute, { query: { q: '"a phrase"' } });
const many = <Result>(count: number, send: () => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, send));
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe("searches of one account at once", () => {
  test("one runs, five wait, and the others are told when to try again", async () => {
    const ada = await person();
    await ada.ok(createDocumentRoute, { json: { title: "Words", content: { text: "in a phrase" } } });
    const answers = await many(9, () => search(ada));
    expect(statuses(answers)).toEqual([...Array(6).fill(200), 429, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("Retry-After")).toBe("1");
    expect(refused?.text).toContain("try again in a second");
    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body.total)).toEqual(
      Array(6).fill(1),
    );
    expect((await search(ada)).status).toBe(200);
  });

  test("take no turns of others, and whatever a search ends with, the next one follows", async () => {
    const [ada, eve] = [await person(), await person()];
    const noisy = many(9, () => search(eve));
    const folder_id = "0190a0c0-0000-7000-8000-000000000000";
    const missing = await many(5, () => ada.call(searchRoute, { query: { q: "word", folder_id } }));
    expect(statuses(missing)).toEqual(Array(5).fill(404));
    expect(statuses(await many(5, () => search(ada)))).toEqual(Array(5).fill(200));
    await noisy;
  });

  test("of all the account's keys and sessions count together", async () => {
    const ada = await person();
    const keys = await many(4, () =>
      ada.ok(createApiKeyRoute, { json: { name: "Key", scopes: ["docs:read"] } }),
    );
    const programs = keys.map(({ key }) => {
      const program = new Client();
      program.tokens = { access_token: key } as never;
      return program;
    });
    // The first search shows that a key is good.
    for (const program of programs) expect((await search(program)).status).toBe(200);
    const answers = await Promise.all([...programs, ...programs, ada].map(search));
    expect(statuses(answers)).toEqual([...Array(6).fill(200), 429, 429, 429]);
  });

  test("with a key that is none, though it names the account, take none of its turns", async () => {
    const ada = await person();
    const { key } = await ada.ok(createApiKeyRoute, { json: { name: "Key", scopes: ["docs:read"] } });
    const forged = new Client();
    forged.tokens = { access_token: `${key.slice(0, -4)}AAAA` } as never;
    const noisy = many(30, () => forged.fetch("/api/search?q=word"));
    expect(statuses(await many(6, () => search(ada)))).toEqual(Array(6).fill(200));
    expect(new Set((await noisy).map(({ status }) => status))).toEqual(new Set([401]));
  });

  test("of an assistant all wait", async () => {
    const ada = await person();
    for (const assistant of [stateless(ada), await initialize(ada)]) {
      const answers = await many(10, () => use(assistant, "search", { query: "word" }));
      expect(answers.map(({ refused }) => refused)).toEqual(Array(10).fill(undefined));
    }
  });
});
