/// <reference types="vite/types/importMeta.d.ts" />
import { expect, test } from "vitest";
import { version } from "../../package.json";
import manifest from "../../plugin/desktop/manifest.json";
import server from "../../server.json";
import { SKILLS, skillMarkdown } from "../../src/contract/skills.ts";
import { clientInstructions } from "../../web/src/features/connections/clients.ts";
import { codeOf, guideOf } from "../kit/guides.ts";

// What registries and clients read of us: server.json as the MCP registry's schema of 2025-12-11 limits it, the manifest of
// a bundle for Claude Desktop (modelcontextprotocol/mcpb), the plugin and the links that install in one click.

const skills = import.meta.glob<string>("../../plugin/skills/*/*", {
  query: "?raw",
  import: "default",
  eager: true,
});
const manifests = import.meta.glob<string>("../../plugin/.*-plugin/plugin.json", {
  query: "?raw",
  import: "default",
  eager: true,
  exhaustive: true,
});

test("server.json has the package's version and the registry's limits, and each part of an address is asked for", () => {
  const { version: own, name, title, description, remotes, packages } = server;
  expect(own).toBe(version);
  expect(name).toMatch(/^[a-zA-Z0-9.-]{1,100}\/[a-zA-Z0-9._-]{1,99}$/);
  for (const text of [title, description]) expect([text, text.length <= 100]).toEqual([text, true]);
  for (const { registryType, identifier, runtimeHint, transport } of packages) {
    expect(identifier).toMatch(new RegExp(`:${version}$`));
    expect([registryType, runtimeHint, transport.type]).toEqual(["oci", "docker", "streamable-http"]);
    expect(URL.canParse(transport.url)).toBe(true);
  }
  for (const { type, url, variables } of remotes) {
    const named = [...url.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
    expect([type, named]).toEqual(["streamable-http", Object.keys(variables)]);
    const filled = Object.entries(variables).reduce(
      (filling, [part, { placeholder }]) => filling.replace(`{${part}}`, placeholder),
      url,
    );
    expect(new URL(filled).pathname).toBe("/mcp");
  }
});

test("the manifest for Claude Desktop has the package's version, and what it passes on is asked for", () => {
  const { manifest_version, name, description, server: started, user_config } = manifest;
  expect([manifest_version, manifest.version, started.type]).toEqual(["0.3", version, "node"]);
  expect(name).toMatch(/^[a-z0-9-]+$/);
  expect(description.length).toBeLessThanOrEqual(500);
  const { args, env } = started.mcp_config;
  expect(args[0]).toBe(`\${__dirname}/${started.entry_point}`);
  const passed = Object.values(env).flatMap((value) => /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1] ?? []);
  expect(passed).toEqual(Object.keys(user_config));
});

test("the plugin's skills are those of MCP (npm run plugin), with names and descriptions that clients accept", () => {
  const expected = SKILLS.map((skill) => [
    `../../plugin/skills/${skill.name}/SKILL.md`,
    skillMarkdown(skill),
  ]);
  expect(skills).toEqual(Object.fromEntries(expected));
  for (const { name, when } of SKILLS) {
    expect(name).toMatch(/^[a-z][a-z0-9-]{0,63}$/);
    expect(when.length).toBeLessThan(250);
  }
  expect(Object.values(manifests).map((text) => JSON.parse(text).version)).toEqual([version, version]);
});

/** For an assistant without the plugin and without MCP prompts. */
const INSTRUCTIONS_FOR_ASSISTANTS = `You have a long-term memory: the Commonplace tools. At the start of a conversation, call get_briefing and keep it in mind.
Before you answer a question about my work, people, plans or earlier decisions, call search.
When I promise something, decide something, am blocked, or tell you a lasting preference, call remember right away, one
record for each, with the due date, the hour and the repetition if I named them, and happened_on if it was on an earlier
day. Search first, so that nothing is saved twice; if it replaces an older record, pass that record's id in replaces_id.
When something is done, skipped this time, dropped, or not to be seen before some day, call close_memories; a new deadline is update_memory's due_date. Save longer texts with create_document. Tell me in one short
line what you saved or closed. Never save passwords, keys, PINs or door codes.
`;

test("the documentation has the lines for an assistant's instructions", () => {
  expect(codeOf(guideOf("docs/assistants.md"), "text")).toContain(INSTRUCTIONS_FOR_ASSISTANTS);
});

const ADDRESS = "https://notes.example/mcp";

test("the links that install in one click say the address as each client reads it", () => {
  const links = new Map(
    clientInstructions(ADDRESS).flatMap(({ id, installLink }) =>
      installLink ? [[id, new URL(installLink)]] : [],
    ),
  );
  expect([...links.keys()]).toEqual(["cursor", "vscode"]);
  const cursor = links.get("cursor");
  expect(cursor?.searchParams.get("name")).toBe("commonplace");
  expect(JSON.parse(atob(cursor?.searchParams.get("config") ?? ""))).toEqual({ url: ADDRESS });
  const asked = decodeURIComponent(links.get("vscode")?.search.slice(1) ?? "");
  expect(JSON.parse(asked)).toEqual({ name: "commonplace", type: "http", url: ADDRESS });
  const commands = clientInstructions(ADDRESS).map(({ snippet }) => snippet?.text ?? "");
  expect(commands).toContain(`claude mcp add --transport http commonplace ${ADDRESS}`);
});
