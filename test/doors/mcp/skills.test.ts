import { skillEntry } from "@modelcontextprotocol/server/ext/skills";
import { describe, expect, test } from "vitest";
import { SKILLS, skillMarkdown } from "../../../src/contract/skills.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import { createMemoryRoute } from "../../../src/features/memories/routes.ts";
import { person } from "../../kit/client.ts";
import { ask, bothGenerations, post } from "../../kit/mcp.ts";
import { keyOf } from "../../kit/scopes.ts";

// Skills, completions and what a client shows of this service, in both generations.

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
    await ada.ok(documents.createDocumentRoute, { json });
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
