import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { person, visitor } from "./kit/client.ts";
import { ask, initialize, post, stateless, use } from "./kit/mcp.ts";

describe("both generations", () => {
  test("list the same tools and call them", async () => {
    const ada = await person();
    const session = await initialize(ada);
    const old = await session.ask("tools/list");
    const modern = await ask(ada, "tools/list");
    const names = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);
    expect(names(old.result?.tools)).toHaveLength(12);
    expect(modern.result?.tools).toEqual(old.result?.tools);
    for (const asker of [session, stateless(ada)]) {
      expect(await use(asker, "whoami")).toMatchObject({ plan: "free", timezone: "UTC" });
    }
  });
});

test("all definitions together are less than 4,000 tokens", async () => {
  const ada = await person();
  const { result } = await ask(ada, "tools/list");
  const tokens = countTokens(JSON.stringify(result?.tools));
  expect(tokens).toBeLessThan(4_000);
});

test("nobody gets in without a token", async () => {
  const answer = await post(visitor(), { jsonrpc: "2.0", id: 1, method: "ping" });
  expect(answer.status).toBe(401);
  expect(answer.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
});
