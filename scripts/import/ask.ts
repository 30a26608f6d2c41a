import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Asks the person at the terminal; what they type is not shown when it is a secret. */
export async function ask(question: string, secret = false): Promise<string> {
  if (!process.stdin.isTTY) throw new Error(`${question} is missing, and nobody can be asked for it`);
  process.stderr.write(`${question}: `);
  const output = secret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  terminal.once("SIGINT", () => process.exit(130));
  const answer = await terminal.question("");
  terminal.close();
  if (secret) process.stderr.write("\n");
  return answer.trim();
}
