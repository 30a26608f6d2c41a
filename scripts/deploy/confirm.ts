import { ask } from "../common/ask.ts";

/** Asks whether to go on. Throws if the answer is not yes, and without a terminal. */
export async function confirm(): Promise<void> {
  const answer = await ask("Continue? (y/N)", { otherwise: "give --yes" });
  if (!/^y(es)?$/i.test(answer)) throw new Error("Nothing was changed.");
}
