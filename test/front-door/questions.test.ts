import { addDays } from "../../src/contract/days.ts";
import { connectWith, use } from "../e2e/official-clients.ts";
import { runScript } from "../e2e/script.ts";
import { expect, test } from "./fixtures.ts";

// What a person asks an assistant, with a month of the demo's data. Each question is answered only from what the tools
// return: whatever a call needs, be it an id, a day or a text, comes from an earlier answer.

type Row = { topic: string; [field: string]: unknown };

/** A zone in which it is about noon, so that no day ends while the story runs. */
function noonZone(): string {
  const ahead = 12 - new Date().getUTCHours();
  return `Etc/GMT${ahead === 0 ? "" : ahead > 0 ? `-${ahead}` : `+${-ahead}`}`;
}

test("what was promised, what is overdue, the day's briefing, and a passage that is changed", async ({
  service,
}) => {
  const account = { email: "demo@example.com", password: "correct horse battery staple" };
  const options = ["--url", service.apiUrl, "--email", account.email, "--password", account.password];
  expect(await runScript("demo", [...options, "--timezone", noonZone()], {})).toMatchObject({ code: 0 });
  const login = await fetch(`${service.apiUrl}/api/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(account),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const client = await connectWith("SDK v2 negotiating", service.mcpUrl, access_token);
  const fetched = async (query: string) => {
    const { results } = await use<{ results: { id: string }[] }>(client, "search", { query });
    const { id } = results[0] ?? {};
    const found = await use<{ title: string; text: string; metadata: Row }>(client, "fetch", { id });
    return { id, ...found };
  };

  const promise = await fetched("Grace type:commitment status:active");
  expect(promise.title).toBe("Send Grace the slides");
  expect(promise.text).toBe("Promised in the Monday call; she needs them for the board.");
  // Today is told as `2026-11-21 (Saturday)`.
  const today = String(promise.metadata.today).slice(0, 10);
  expect(promise.metadata.due_date).toBe(addDays(today, -3));

  const { items } = await use<{ items: Row[] }>(client, "list_memories", { view: "alerts" });
  const overdue = items.filter(({ alert_type }) => alert_type === "overdue");
  expect(overdue.map(({ topic, days_overdue }) => [topic, days_overdue])).toEqual([
    ["Choose the pricing model", 6],
    ["Send Grace the slides", 3],
    ["Pay the electricity bill", 1],
  ]);

  type Section = { section: string; items: Row[] };
  const { sections } = await use<{ sections: Section[] }>(client, "get_briefing", { scope: "work" });
  expect(
    Object.fromEntries(sections.map((one) => [one.section, one.items.map(({ topic }) => topic)])),
  ).toEqual({
    overdue: ["Choose the pricing model", "Send Grace the slides"],
    due_soon: ["Review Linus's pull request", "Write the status page"],
    stale: ["Tidy the shared drive"],
    blockers: ["The test account is locked", "Certificate for staging"],
    recent_decisions: expect.arrayContaining(["Beta starts with ten customers"]),
    preferences: ["Short mails"],
  });

  const plan = await fetched('"launch plan" type:document');
  const under = (text: string) => /## Open\n\n([\s\S]*?)(?=\n## |$)/.exec(text)?.[1]?.trim() ?? "";
  await use(client, "edit_document", {
    ...{ id: plan.id, expected_version: plan.metadata.version },
    ...{ operation: "replace_section", section: "Open", text: `${under(plan.text)}\n- translations` },
  });
  const { text } = await fetched('"launch plan" type:document');
  expect(text).toContain("Beta for ten customers, then everybody.");
  expect(under(text)).toBe(
    "- price page\n- status page\n- who answers the phone on the first weekend\n- translations",
  );
  await client.close();
});
