import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SKILLS, skillMarkdown } from "../src/contract/skills.ts";

// `npm run plugin`: writes the plugin's skills, which are the same as MCP's.

const FOLDER = join("plugin", "skills");

rmSync(FOLDER, { recursive: true, force: true });
for (const skill of SKILLS) {
  const file = join(FOLDER, skill.name, "SKILL.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, skillMarkdown(skill));
}
console.log(`Wrote ${SKILLS.length} skills to ${FOLDER}`);
