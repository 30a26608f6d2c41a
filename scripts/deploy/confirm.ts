import { ask } from "../common/ask.ts";

/** Asks whether to continue. Throws if the answer is not yes, or without a terminal. */
export async function confirm(): Promise<void> {
  const answer = await ask("Continue? (y/N)", { otherwise: "add --yes" });
  if (!/^y(es)?$/i.test(answer)) throw new Error("Nothing was changed.");
}
