import { dayWithWeekday, localDay } from "../../contract/days.ts";
import { SKILLS, type SkillArgument } from "../../contract/skills.ts";
import type { Ctx } from "../../platform/core/ctx.ts";

export type Prompt = {
  name: string;
  title: string;
  description: string;
  arguments: readonly SkillArgument[];
  write: (today: string, sent: Record<string, string>) => string;
};

async function todaySentence(ctx: Ctx): Promise<string> {
  const { timezone } = await ctx.user();
  return `Today is ${dayWithWeekday(localDay(ctx.now, timezone))}, time zone ${timezone}.`;
}

const onlyProject = (project: string | undefined) => (project ? ` Cover only the project "${project}".` : "");

const meeting = (subject: string | undefined) =>
  subject === undefined ? "" : ` It is about, or with: ${JSON.stringify(subject)}.`;

const attached = (text: string | undefined) => (text === undefined ? "" : `\n\n<text>\n${text}\n</text>`);

export const PROMPTS: readonly Prompt[] = SKILLS.map(({ prompt, title, description, steps, ...skill }) => ({
  name: prompt,
  title,
  description,
  arguments: skill.arguments,
  write: (today, { project, text, about: subject }) =>
    `${today}${onlyProject(project)} ${steps}${meeting(subject)}${attached(text)}`,
}));

export const writePrompt = async (ctx: Ctx, prompt: Prompt, sent: Record<string, string>) =>
  prompt.write(await todaySentence(ctx), sent);
