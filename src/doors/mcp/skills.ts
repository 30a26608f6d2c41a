import { SKILLS, skillMarkdown } from "../../contract/skills.ts";
import { hex, sha256 } from "../../platform/core/bytes.ts";

// The extension io.modelcontextprotocol/skills (SEP-2640): each skill is one file, the same as the plugin's.

export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Skills change only with a new version of the service. */
const CACHE_HINTS = { ttlMs: 3_600_000, cacheScope: "private" };

const SKILL_URI = /^skill:\/\/([a-z][a-z0-9-]*)\/SKILL\.md$/;

export const skillUri = (name: string) => `skill://${name}/SKILL.md`;

/** The text of a skill; undefined for an unknown URI. */
export function readSkill(uri: string): string | undefined {
  const name = SKILL_URI.exec(uri)?.[1];
  const skill = SKILLS.find((one) => one.name === name);
  return skill && skillMarkdown(skill);
}

async function describeSkills() {
  return Promise.all(
    SKILLS.map(async (skill) => {
      const [uri, text] = [skillUri(skill.name), skillMarkdown(skill)];
      const { name, when: description } = skill;
      const resources = [
        { uri, digest: `sha256:${hex(await sha256(text))}`, size: new TextEncoder().encode(text).length },
      ];
      return { uri, frontmatter: { name, description }, resources };
    }),
  );
}

export const listSkills = async () => ({ skills: await describeSkills(), ...CACHE_HINTS });

export async function getSkill(uri: string) {
  const skill = (await describeSkills()).find((one) => one.uri === uri);
  return skill && { skill, ...CACHE_HINTS };
}
