import type { Subscription } from "./account.ts";
import type { Command, Look } from "./people.ts";

/** The host through which people and time act at Stripe. */
export const DIRECTOR = "stripe.example.com";

export const KEY = "sk_test_priced";

/** What happens at Stripe. `at` is where the one is that directs it, and `key` which account of Stripe's it is. */
export async function happen<Answer = unknown>(
  command: Command,
  { at = `https://${DIRECTOR}`, key = KEY }: { at?: string; key?: string } = {},
): Promise<Answer> {
  const answer = await fetch(at, { method: "POST", body: JSON.stringify({ ...command, key }) });
  if (!answer.ok) throw new Error(`${command.do}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

export const lookAt = (customer: string) => happen<Look>({ do: "look", customer });

export async function customerOfUser(user: string): Promise<string> {
  const found = await happen<{ id: string }[]>({ do: "find", user });
  if (found.length !== 1) throw new Error(`There are ${found.length} customers`);
  return found[0]?.id ?? "";
}

export const payFor = (session: string, more: { card?: "works" | "fails" | "none"; daysAgo?: number } = {}) =>
  happen<Subscription>({ do: "pay", session, ...more });
