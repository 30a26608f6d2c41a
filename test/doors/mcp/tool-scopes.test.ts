import { describe, expect, test } from "vitest";
import { ACCESS_SCOPES, type Access } from "../../../src/contract/access.ts";
import { answerMethod } from "../../../src/doors/mcp/register.ts";
import { TOOLS } from "../../../src/doors/mcp/tools.ts";
import { ctxOf } from "../../kit/ctx.ts";
import { bothGenerations, initialize, post } from "../../kit/mcp.ts";
import { connect } from "../../kit/oauth.ts";
import { ADA, forbiddenTo, keeper, keyOf, MEM, SUBSETS } from "../../kit/scopes.ts";
import { isThorough } from "../../kit/time-limits.ts";

// No tool reveals what its caller may not read, however it is called.

describe("a tool", () => {
  /** Values of every form for a field of a tool, by the field's name. */
  function valuesFor(
    [tool, field]: [string, string],
    { document, memory, folder }: Awaited<ReturnType<typeof keeper>>,
  ): unknown[] {
    const base = "https://commonplace.test";
    const docs = [
      document.id,
      `doc:${document.id}`,
      `DOC:${document.id.toUpperCase()}`,
      `doc://${document.id}`,
      `${base}/open/doc/${document.id}`,
      `https://evil.example/api/documents/${document.id}`,
      `doc:${document.id}#1`,
      [`doc:${document.id}`],
      document.title,
      document.title.toLowerCase(),
    ];
    const records = [
      memory.id,
      String(memory.id),
      `mem:${memory.id}`,
      `memory://${memory.id}`,
      ` mem:${memory.id} `,
      `${base}/open/memory/${memory.id}`,
      `${base}/api/memories/${memory.id}`,
      [memory.id],
    ];
    const edits = [document.id, document.title].map((id) => ({
      ...{ id, operation: "find_replace", find_text: "common", text: "x" },
    }));
    const misspelled = folder.name.replace("DOCSECRET", "DOCSECRT");
    const known: Record<string, unknown[]> = {
      id: [...docs, ...records],
      ids: tool === "edit_document" ? docs : records,
      documents: [edits, [{ title: "T", text: "x", folder: misspelled }]],
      folder_id: [folder.id, null],
      replaces_id: [memory.id, `mem:${memory.id}`],
      query: ["common", "type:commitment common", "type:document common"],
      view: ["active", "alerts", "all"],
      operation: ["append", "find_replace", "replace_section", "set_fields"],
    };
    return known[field] ?? [field in PLAIN ? PLAIN[field] : "words"];
  }

  /** One valid value for each of the other fields. */
  const PLAIN: Record<string, unknown> = {
    ...{ q: "common", outcome: "confirmed", memory_type: "commitment", status: "active", scope: "work" },
    ...{ sort: "title", due_date: "2026-12-24", deferred_until: "2099-01-01", updated_after: "2020-01-01" },
    ...{ tag: ["x"], tags: ["x"], limit: 5, offset: 0, expected_version: 1, expected_replacements: 1 },
    ...{ find_text: "common", section: "heading" },
  };

  const NEEDED: Record<string, Record<string, unknown>> = {
    search: { query: "common" },
    create_document: { title: "T", text: "x" },
    edit_document: { operation: "append", text: "x" },
    remember: { memory_type: "context", topic: "T", content: "C" },
    update_memory: { scope: "work" },
    close_memories: { outcome: "confirmed" },
  };

  /** Every call of a tool: each field in each form, under each of its names, together with the required fields. */
  function callsOf(tool: (typeof TOOLS)[number], kept: Awaited<ReturnType<typeof keeper>>) {
    const fields = Object.keys(tool.input.shape);
    const needed = NEEDED[tool.name] ?? {};
    const idField = fields.includes("id")
      ? { id: kept.memory.id }
      : fields.includes("ids")
        ? { ids: [kept.memory.id] }
        : {};
    return fields.flatMap((field) => {
      const names = Object.entries(tool.aliases ?? {}).flatMap(([alias, of]) =>
        of === field ? [alias] : [],
      );
      return valuesFor([tool.name, field], kept).flatMap((value) =>
        [field, ...names].map((name) => {
          const { [field]: _, ...others }: Record<string, unknown> = { ...idField, ...needed };
          const forDocument =
            tool.name === "edit_document" && !["ids", "documents"].includes(field)
              ? { ids: [kept.document.id] }
              : {};
          return { ...others, ...forDocument, [name]: value };
        }),
      );
    });
  }

  const calls = (kept: Awaited<ReturnType<typeof keeper>>) =>
    TOOLS.filter(({ name }) => name !== "delete_document").flatMap((tool) =>
      [{}, ...callsOf(tool, kept)].map((args) => ({ name: tool.name, arguments: args })),
    );

  type Ask = (params: Calls[number]) => Promise<unknown>;
  type Calls = ReturnType<typeof calls>;

  async function expectNothing(ask: Ask, scopes: readonly Access[], all: Calls) {
    for (const params of all) {
      const text = JSON.stringify(await ask(params));
      for (const secret of forbiddenTo(scopes)) {
        expect(text, `${scopes}: ${JSON.stringify(params)}`).not.toContain(secret);
      }
    }
  }

  test("returns nothing beyond any set of scopes, under any name and in any form", {
    timeout: 60_000,
  }, async () => {
    const kept = await keeper();
    const letIn = {
      ...(await ctxOf(kept.ada)),
      admit: async () => {},
      key: async () => undefined,
      plan: () => undefined,
      isSessionExtended: () => false,
      switchShard: () => {},
    };
    const all = calls(kept);
    expect(all.length).toBeGreaterThan(150);
    const subsets = SUBSETS.filter((subset) => forbiddenTo(subset).length > 0);
    for (const [turn, scopes] of subsets.entries()) {
      await expectNothing(
        async (params) => answerMethod("tools/call", params, { ...letIn, scopes }),
        scopes,
        all.filter((_, n) => isThorough || (n + turn) % 3 === 0),
      );
    }
  });

  test.for(ACCESS_SCOPES)(
    "answers nothing beyond %s to clients of both generations, nor fails over any question",
    { timeout: 60_000 },
    async (scope) => {
      const kept = await keeper();
      const key = await keyOf(kept.ada, [scope]);
      const some = calls(kept).filter((call, n) => call.name === "fetch" || n % (isThorough ? 4 : 16) === 0);
      for (const [, asker] of await bothGenerations(key)) {
        const ask: Ask = async (params) => {
          const { status, result, error } = await asker.ask("tools/call", params);
          expect(status, JSON.stringify(params)).toBeLessThan(500);
          return { result, error };
        };
        await expectNothing(ask, [scope], some);
      }
    },
  );

  test("that writes has a receipt, as its answer reveals more than was sent", () => {
    for (const tool of TOOLS) {
      const writes = [tool.access].flat().some((access) => access.endsWith(":write"));
      expect(tool.withoutContent !== undefined, tool.name).toBe(writes);
    }
  });

  test("reads nothing beyond an OAuth grant, nor as a resource", async () => {
    const { document, memory } = await keeper();
    const docs = { scopes: ["docs:read"], uri: `memory://${memory.id}`, id: `mem:${memory.id}` };
    const records = { scopes: ["memory:read"], uri: `doc://${document.id}`, id: `doc:${document.id}` };
    for (const { scopes, uri, id } of [docs, records]) {
      const { mcp } = await connect(ADA, scopes);
      for (const [, asker] of await bothGenerations(mcp)) {
        for (const name of ["id", "uri", "url", "document_id", "memory_id"]) {
          const given = await asker.ask("tools/call", { name: "fetch", arguments: { [name]: id } });
          expect(given.status, name).toBe(403);
          expect(given.headers.get("WWW-Authenticate")).toContain('error="insufficient_scope"');
        }
        expect((await asker.ask("resources/read", { uri })).status).toBe(403);
      }
    }
  });

  test("is also refused in a batch, whether nested, long or full of nonsense", async () => {
    const { ada, memory } = await keeper();
    const key = await keyOf(ada, ["docs:read"]);
    const session = await initialize(key, "2025-03-26");
    const call = (id: number, args: unknown) => ({
      ...{ jsonrpc: "2.0", id, method: "tools/call", params: { name: "fetch", arguments: args } },
    });
    const bad = call(2, { uri: `mem:${memory.id}` });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    for (const body of [[list, bad], [[bad]], [list, [bad]], [null, bad], [bad, 7], [call(3, [bad]), bad]]) {
      const given = await post(key, body, session.headers);
      expect(given.status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(given)).not.toContain(MEM);
    }
    const uri = `mem:${memory.id}`;
    for (const args of [{ id: { uri } }, { __proto__: { id: uri } }, "mem:1", null]) {
      const given = await post(key, call(4, args), session.headers);
      expect(JSON.stringify(given)).not.toContain(MEM);
    }
  });
});
