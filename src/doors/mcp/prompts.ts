import { SKILLS } from "../../contract/skills.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { todayField } from "../../platform/tools/tool.ts";

export const PROMPTS = SKILLS.map(({ prompt, title, description, arguments: parameters, steps }) => ({
  name: prompt,
  title,
  description,
  arguments: parameters,
  steps,
}));

/** The text of a prompt: the day, the steps of its skill, and the arguments that were sent. */
export async function writePrompt(ctx: Ctx, steps: string, sent: Record<string, string | undefined>) {
  const { project, about, text } = sent;
  const { today } = await todayField(ctx);
  const { timezone } = await ctx.user();
  return [
    `Today is ${today}, time zone ${timezone}.`,
    project ? ` Cover only the project "${project}".` : "",
    ` ${steps}`,
    about === undefined ? "" : ` It is about, or with: ${JSON.stringify(about)}.`,
    text === undefined ? "" : `\n\n<text>\n${text}\n</text>`,
  ].join("");
}
