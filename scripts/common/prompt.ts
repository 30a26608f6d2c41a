import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/**
 * Asks a question in the terminal. Throws without a terminal.
 *
 * @param options `secret` hides the input; `noTerminalHint` says what to do without a terminal
 */
export async function promptUser(
  question: string,
  options: { secret?: boolean; noTerminalHint: string },
): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Error(`${question} is missing, and there is no terminal to ask in: ${options.noTerminalHint}`);
  process.stderr.write(`${question}: `);
  const mutedOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: options.secret ? mutedOutput : process.stderr,
    terminal: true,
  });
  terminal.once("SIGINT", () => process.exit(130));
  const answer = await terminal.question("");
  terminal.close();
  if (options.secret) process.stderr.write("\n");
  return answer.trim();
}

/** Asks whether to continue. Throws if the answer is not yes, or without a terminal. */
export async function requireConfirmation(): Promise<void> {
  const answer = await promptUser("Continue? (y/N)", { noTerminalHint: "add --yes" });
  if (!/^y(es)?$/i.test(answer)) throw new Error("Nothing was changed.");
}
