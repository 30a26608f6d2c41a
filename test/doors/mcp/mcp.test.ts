import { skillEntry } from "@modelcontextprotocol/server/ext/skills";
import { describe, expect, test } from "vitest";
import { SKILLS, skillMarkdown } from "../../../src/contract/skills.ts";
import { TOOLS } from "../../../src/doors/mcp/tools.ts";
import { createDocumentRoute } from "../../../src/features/documents/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";
import { type Asker, ask, bareId, bothGenerations, post, stateless, use } from "../../kit/mcp.ts";
import { keyOf } from "../../kit/scopes.ts";
import { tokensOf } from "../../kit/tokens.ts";

type Definition = {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, unknown>; additionalProperties: boolean; type: string };
  outputSchema: { type: string };
  annotations: Record<string, boolean>;
  _meta?: object;
};

async function definitions(asker: Asker): Promise<Definition[]> {
  const { result } = await asker.ask("tools/list", {});
  return result?.tools as Definition[];
}

const NAMES = TOOLS.map(({ name }) => name);

describe("the tools", () => {
  test("describe their input, output and effect in less than 4,000 tokens, alike to both generations", async () => {
    const lists = (await bothGenerations(await person())).map(([, asker]) => definitions(asker));
    const [tools = [], others] = await Promise.all(lists);
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(others).toEqual(tools);
    // Clients keep `_meta` to themselves.
    const shown = tools.map(({ _meta: _, ...tool }) => tool);
    const ofEach = shown.map((tool) => `${tool.name} ${tokensOf(tool)}`).join(", ");
    expect(tokensOf(shown), `Tokens of each tool: ${ofEach}`).toBeLessThan(4_000);
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema.type, name).toBe("object");
      // The directories ask for these of every tool.
      const hints = ["destructiveHint", "openWorldHint", "readOnlyHint"];
      expect(Object.keys(annotations), name).toEqual(expect.arrayContaining(hints));
    }
    const fields = (name: string) =>
      Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
    expect([fields("search"), fields("fetch")]).toEqual([["query"], ["id"]]);
    // Some clients know schemas of a single type only, and refuse one that may be null.
    expect(JSON.stringify(tools)).not.toContain('"type":[');
    const inputs = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
    expect(inputs).not.toContain('"null"');
    // An empty alternative would accept any value.
    expect(inputs).not.toMatch(/"anyOf":\[[^\]]*\{\}/);
  });

  test("are explained in at most 150 words when a client connects", async () => {
    const ada = await person();
    const { result } = await ask(ada, "server/discover");
    const instructions = String(result?.instructions);
    expect(instructions.split(/\s+/).length).toBeLessThanOrEqual(150);
    for (const name of instructions.match(/\b[a-z]+_[a-z]+\b/g) ?? []) {
      if (!["due_date", "due_time", "deferred_until", "replaces_id"].includes(name))
        expect(NAMES).toContain(name);
    }
  });

  test("take a promise from its creation to its end, in both generations", async () => {
    const ada = await person({ timezone: "Europe/Berlin" });
    for (const [name, asker] of await bothGenerations(ada)) {
      const made = (await use(asker, "remember", {
        ...{ memory_type: "commitment", topic: `Slides for ${name}`, content: "Promised to Grace" },
        due_date: "2099-12-24",
      })) as { memory: { id: string } };
      expect(made).toMatchObject({
        memory: { due_date: "2099-12-24 (Thursday)" },
        today: expect.stringMatching(/day\)$/),
      });
      expect(made.memory.id).toMatch(/^mem:\d+$/);
      const id = bareId(made.memory.id);
      await use(asker, "update_memory", { id, project: "Apollo" });
      expect(await use(asker, "list_memories", { project: "Apollo" })).toMatchObject({ total: 1 });
      const found = (await use(asker, "search", { query: `slides ${name}` })) as {
        results: { id: string }[];
      };
      expect(found.results.map((result) => result.id)).toContain(`mem:${id}`);
      for (const reference of [`mem:${id}`, String(id), `memory://${id}`]) {
        expect(await use(asker, "fetch", { id: reference })).toMatchObject({ text: "Promised to Grace" });
      }
      expect(await use(asker, "get_briefing")).toMatchObject({ timezone: "Europe/Berlin" });
      expect(await use(asker, "close_memories", { ids: [id], outcome: "resolved" })).toMatchObject({
        succeeded: 1,
      });
    }
  });

  test("keep, find, change and delete a document, in both generations", async () => {
    const ada = await person();
    for (const [name, asker] of await bothGenerations(ada)) {
      const word = name.replaceAll(" ", "");
      const made = await use(asker, "create_document", { title: word, text: "# One\n\nalpha", tags: "a, b" });
      const change_id = expect.stringMatching(/^\d+$/);
      expect(made).toEqual({ id: expect.any(String), title: word, tags: ["a", "b"], change_id });
      const id = bareId(made.id);
      const edited = await use(asker, "edit_document", { id, operation: "append", text: "\nomega" });
      expect(edited).toMatchObject({ version: 2 });
      for (const reference of [`doc:${id}`, id, `doc://${id}`, `https://commonplace.test/open/doc/${id}`]) {
        const read = await use(asker, "fetch", { id: reference });
        expect(read).toMatchObject({ id: `doc:${id}`, title: word, metadata: { version: 2 } });
        expect(read.text).toContain("omega");
      }
      const { results } = (await use(asker, "search", { query: word })) as { results: object[] };
      expect(results).toMatchObject([{ id: `doc:${id}`, title: word }]);
      expect(await use(asker, "list_documents", { tag: ["a"] })).toMatchObject({ total: 1, has_more: false });
      expect(await use(asker, "delete_document", { id })).toMatchObject({ id: `doc:${id}`, trashed: true });
      expect((await use(asker, "fetch", { id })).metadata).toMatchObject({ in_trash: expect.anything() });
      const { items } = (await use(asker, "list_trash")) as { items: object[] };
      expect(items[0]).toMatchObject({ id: `doc:${id}`, title: word });
      expect(await use(asker, "restore", { id: `doc:${id}` })).toMatchObject({ title: word });
      const { versions } = (await use(asker, "list_versions", { id })) as { versions: { id: string }[] };
      const first = { id: versions[0]?.id };
      expect(await use(asker, "fetch", first)).toMatchObject({ text: "# One\n\nalpha" });
      await use(asker, "restore", first);
      expect(await use(asker, "fetch", { id })).toMatchObject({ text: "# One\n\nalpha" });
      await use(asker, "delete_document", { id });
    }
  });

  test("refuse with a text that says what to do next, and reveal nothing else", async () => {
    const ada = await person();
    for (const [, asker] of await bothGenerations(ada)) {
      expect((await use(asker, "fetch", { id: "nonsense" })).refused).toContain("doc:<uuid>");
      expect((await use(asker, "search", { query: "  " })).refused).toContain("query");
      expect((await use(asker, "search", {})).refused).toContain("Call search again with: query");
      expect((await use(asker, "remember", { memory_type: "wish" })).refused).toContain("memory_type");
      const unknown = await asker.ask("tools/call", { name: "rm", arguments: {} });
      expect(unknown.error).toMatchObject({ code: -32602 });
    }
  });

  test("return a long text in parts, each of which names the next, without splitting a character", async () => {
    const ada = await person();
    const written = `x${"🦓".repeat(45_000)}`;
    const document = await ada.ok(createDocumentRoute, {
      json: { title: "Long", content: { format: "markdown", text: written } },
    });
    const parts: string[] = [];
    let next: string | undefined = document.id;
    while (next) {
      const { text, metadata } = await use(stateless(ada), "fetch", { id: next });
      expect(metadata).toMatchObject({ part: parts.length + 1, parts: 3, length: 90_001 });
      const [, part = String(text), id] =
        /^(.*)\n\n\[Truncated: fetch (\S+) to continue\]$/s.exec(String(text)) ?? [];
      expect(part.length).toBeLessThan(41_000);
      parts.push(part);
      next = id;
    }
    expect(parts.join("")).toBe(written);
    const beyond = await use(stateless(ada), "fetch", { id: `doc:${document.id}#4` });
    expect(beyond.refused).toContain("has 3 parts");
    const text = "y".repeat(400_000);
    for (const [name, asker] of await bothGenerations(ada)) {
      expect(await use(asker, "create_document", { title: name, text })).toMatchObject({ title: name });
    }
  });
});

describe("resources and prompts", () => {
  test("are the same for both generations", async () => {
    const ada = await person();
    const made = await ada.ok(createDocumentRoute, {
      json: { title: "Plan", content: { format: "markdown", text: "# Plan" } },
    });
    const memory = await ada.ok(createMemoryRoute, {
      json: { memory_type: "decision", topic: "Blue", content: "It is blue" },
    });
    for (const [, asker] of await bothGenerations(ada)) {
      const read = async (uri: string) => {
        const { result } = await asker.ask("resources/read", { uri });
        const contents = (result?.contents ?? []) as { uri: string; text: string }[];
        return contents[0];
      };
      const { result } = await asker.ask("resources/list", {});
      expect(result?.resources).toMatchObject([{ uri: "briefing://today" }]);
      const templates = await asker.ask("resources/templates/list", {});
      expect(templates.result?.resourceTemplates).toMatchObject([
        { uriTemplate: "doc://{id}" },
        { uriTemplate: "memory://{id}" },
        { uriTemplate: "skill://{name}/SKILL.md" },
      ]);
      expect(JSON.parse((await read("briefing://today"))?.text ?? "")).toHaveProperty("today");
      expect(await read(`doc://${made.id}`)).toMatchObject({ text: "# Plan", mimeType: "text/markdown" });
      expect((await read(`memory://${memory.id}`))?.text).toBe("Blue\n\nIt is blue");
      for (const uri of ["memory://999999", "doc://x", "file:///etc/passwd", "memory://1%00"]) {
        const { error } = await asker.ask("resources/read", { uri });
        expect([-32002, -32602], uri).toContain(error?.code);
      }
      const prompts = (await asker.ask("prompts/list", {})).result?.prompts as { name: string }[];
      expect(prompts.map(({ name }) => name).join(" ")).toBe(
        "daily_briefing weekly_review capture_commitments prepare_meeting handoff tidy_up",
      );
      for (const name of ["daily_briefing", "weekly_review", "handoff"]) {
        const { result: got } = await asker.ask("prompts/get", { name, arguments: { project: "Apollo" } });
        expect(JSON.stringify(got), name).toContain("Apollo");
      }
      const bare = await asker.ask("prompts/get", { name: "capture_commitments", arguments: {} });
      expect(bare.error?.message).toContain("text");
    }
  });
});

test("a search answers text and structured content; each tells what a result is, and the text alone where it opens", async () => {
  const ada = await person();
  await use(stateless(ada), "remember", {
    ...{ memory_type: "decision", topic: "Store", content: "We stay with SQLite" },
    happened_on: "2026-01-05",
  });
  for (const [, client] of await bothGenerations(ada)) {
    const { result } = await client.ask("tools/call", { name: "search", arguments: { query: "sqlite" } });
    const { content, structuredContent } = result as {
      content: { text: string }[];
      structuredContent: { results: object[] };
    };
    const told = JSON.parse(content[0]?.text ?? "") as { results: object[] };
    const essence = { id: "mem:1", title: "Store", kind: "decision", snippet: "We stay with SQLite" };
    const when = expect.stringMatching(/Mon 5 Jan/);
    expect(told.results).toMatchObject([{ ...essence, when, url: expect.stringMatching(/memory\/1$/) }]);
    expect(structuredContent.results).toMatchObject([{ ...essence, when }]);
    for (const name of ["url", "tags", "updated"])
      expect(structuredContent.results[0]).not.toHaveProperty(name);
    expect(structuredContent).toMatchObject({ ...told, results: structuredContent.results });
  }
});

describe("skills over MCP", () => {
  test("are those of the plugin, with digests as the official library makes them", async () => {
    const entries = await Promise.all(
      SKILLS.map((skill) => skillEntry(skill.name, { "SKILL.md": skillMarkdown(skill) })),
    );
    for (const [generation, asker] of await bothGenerations(await person())) {
      const { result } = await asker.ask("skills/list", {});
      expect(result?.skills, generation).toEqual(entries);
      for (const entry of entries) {
        const { uri } = entry;
        expect((await asker.ask("skills/get", { uri })).result?.skill, uri).toEqual(entry);
        const read = await asker.ask("resources/read", { uri });
        const skill = SKILLS.find(({ name }) => uri.includes(`/${name}/`));
        expect(read.result?.contents).toEqual([
          { uri, mimeType: "text/markdown", text: skill && skillMarkdown(skill) },
        ]);
      }
      for (const uri of ["skill://nothing/SKILL.md", "skill://../SKILL.md", "skill://tidy-up", ""]) {
        expect((await asker.ask("skills/get", { uri })).error?.code, uri).toBe(-32602);
        expect((await asker.ask("resources/read", { uri })).result, uri).toBeUndefined();
      }
    }
  });

  test("are declared, beside the address and the icons of the service", async () => {
    const ada = await person();
    const { result } = await ask(ada, "server/discover");
    const clientInfo = { name: "x", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const begun = await post(ada, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    for (const one of [result, begun.result]) {
      expect(one?.capabilities).toMatchObject({
        extensions: { "io.modelcontextprotocol/skills": {} },
        completions: {},
      });
      expect(JSON.stringify(one)).toMatch(/"websiteUrl":"https?:\/\/[^/"]+"/);
      expect(JSON.stringify(one)).toMatch(/"src":"https?:\/\/[^/"]+\/icons\/icon-192\.png"/);
    }
  });
});

describe("completions", () => {
  const prompt = { type: "ref/prompt", name: "handoff" };

  test("are the caller's projects, folders and tags, those first that begin like it", async () => {
    const ada = await person();
    for (const project of ["Apollo", "Backapo", "Home"])
      await ada.ok(createMemoryRoute, {
        json: { memory_type: "context", topic: "x", content: "x", project },
      });
    const json = { title: "x", tags: ["apples", "pears"] };
    await ada.ok(createDocumentRoute, { json });
    const eve = await person({ email: "eve@example.com" });
    for (const [, asker] of await bothGenerations(ada)) {
      const values = async (name: string, value: string, ref: object = prompt) =>
        (await asker.ask("completion/complete", { ref, argument: { name, value } })).result?.completion;
      const found = { values: ["Apollo", "Backapo"], total: 2, hasMore: false };
      expect(await values("project", "APO")).toEqual(found);
      expect(await values("project", "")).toMatchObject({ total: 3 });
      expect(await values("tag", "app")).toMatchObject({ values: ["apples"] });
      for (const name of ["folder", "text", "__proto__"])
        expect(await values(name, ""), name).toMatchObject({ values: [] });
      const template = { type: "ref/resource", uri: "skill://{name}/SKILL.md" };
      expect(await values("name", "tidy", template)).toMatchObject({ values: ["tidy-up"] });
      const unknown = { ref: { type: "ref/prompt", name: "x" }, argument: { name: "project", value: "" } };
      expect((await asker.ask("completion/complete", unknown)).error?.code).toBe(-32602);
    }
    const argument = { name: "project", value: "" };
    for (const other of [eve, await keyOf(ada, ["docs:read"])]) {
      const { result } = await ask(other, "completion/complete", { ref: prompt, argument });
      expect(result?.completion).toMatchObject({ values: [] });
    }
  });
});
