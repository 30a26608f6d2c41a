/// <reference types="vite/types/importMeta.d.ts" />
import { expect, test } from "vitest";
import { version } from "../../package.json";
import { INSTRUCTIONS_FOR_ASSISTANTS, SKILLS, skillMarkdown } from "../../src/contract/skills.ts";
import { codeOf, guideOf } from "../kit/guides.ts";

// The plugin is made of what MCP offers: src/contract/skills.ts.

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

test("the plugin's skills are those of MCP (npm run plugin)", () => {
  const expected = SKILLS.map((skill) => [
    `../../plugin/skills/${skill.name}/SKILL.md`,
    skillMarkdown(skill),
  ]);
  expect(skills).toEqual(Object.fromEntries(expected));
});

test("a skill has a name and a description that clients accept", () => {
  for (const { name, when } of SKILLS) {
    expect(name).toMatch(/^[a-z][a-z0-9-]{0,63}$/);
    expect(when.length).toBeLessThan(250);
  }
});

test("the manifests have the package's version", () => {
  const versions = Object.values(manifests).map((text) => JSON.parse(text).version);
  expect(versions).toEqual([version, version]);
});

test("the lines for an assistant's instructions are in the documentation as they are in the code", () => {
  expect(codeOf(guideOf("docs/assistants.md"), "text")).toContain(INSTRUCTIONS_FOR_ASSISTANTS);
});
