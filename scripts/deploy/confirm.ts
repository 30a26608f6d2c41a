import { promptUser } from "../common/prompt.ts";

/** Asks whether to continue. Throws if the answer is not yes, or without a terminal. */
export async function requireConfirmation(): Promise<void> {
  const answer = await promptUser("Continue? (y/N)", { noTerminalHint: "add --yes" });
  if (!/^y(es)?$/i.test(answer)) throw new Error("Nothing was changed.");
}
