import { randomBytes } from "node:crypto";
import { Command } from "commander";
import { addDays, dayOf } from "../src/core/days.ts";
import { apiUrl } from "./import/url.ts";

// `npm run demo`: fills a new account with a month of realistic data, over HTTP like any other client.

type Options = { url: string; email: string; password?: string; timezone: string };
type Call = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A client of the service; with a token it is signed in. */
function clientOf(url: string, token?: string): Call {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        "X-Source-Type": "cli",
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = response.status === 204 ? {} : await response.json();
    if (response.ok) return answer as Answer;
    throw new Refusal(response.status, `${method} ${path}: ${(answer as { detail?: string }).detail}`);
  };
}

const DAY = 86_400_000;
/** The instant `days` days ago, in the morning; never in the future. */
const ago = (days: number) => new Date(Date.now() - days * DAY - 3 * 3_600_000).toISOString();

const FOLDERS = { work: "Work", home: "Home", reading: "Reading notes" };

type DemoDocument = { folder: keyof typeof FOLDERS | null; title: string; tags: string[]; text: string };

const DOCUMENTS: DemoDocument[] = [
  {
    folder: "work",
    title: "Apollo: launch plan",
    tags: ["apollo", "plan"],
    text: "# Launch plan\n\nBeta for ten customers, then everybody.\n\n## Open\n\n- price page\n- status page\n- who answers the phone on the first weekend",
  },
  {
    folder: "work",
    title: "Monday call, notes",
    tags: ["meeting", "apollo"],
    text: "Grace asked for the slides before the board meets. Linus is blocked by the certificate. We keep one database.",
  },
  {
    folder: "work",
    title: "Retrospective of the first sprint",
    tags: ["meeting"],
    text: "Good: small steps, tests first. Less good: three people waited for one review. Try: a review before lunch.",
  },
  {
    folder: "work",
    title: "Questions for the security review",
    tags: ["security", "apollo"],
    text: "Where are secrets kept? Who may read the backups? How does a lost laptop lose its access?",
  },
  {
    folder: "home",
    title: "Packing list for the mountains",
    tags: ["travel"],
    text: "Passport, boots, rain jacket, head torch, the small stove, tea.",
  },
  {
    folder: "home",
    title: "Flat: what the landlord promised",
    tags: ["flat"],
    text: "New window in the kitchen by spring. The heating is checked every October. Deposit: two months.",
  },
  {
    folder: "home",
    title: "Grandmother's plum cake",
    tags: ["recipe"],
    text: "500 g flour, 40 g yeast, 250 ml milk, 2 kg plums. Let it rise twice. 190 degrees for 40 minutes.",
  },
  {
    folder: "reading",
    title: "The Mythical Man-Month",
    tags: ["book"],
    text: "Adding people to a late project makes it later. Plan to throw one away. Conceptual integrity comes first.",
  },
  {
    folder: "reading",
    title: "How to take smart notes",
    tags: ["book", "notes"],
    text: "Write with your own words. One thought per note. Connect it to an older one, or ask why that is not possible.",
  },
  {
    folder: null,
    title: "Ideas without a place",
    tags: [],
    text: "A clock that shows only the next appointment. A reading group for letters. Bread on Sundays.",
  },
];

type Step = { step: string; wakes_in?: number; [field: string]: unknown };
type DemoRecord = { age: number; due?: number; steps?: Step[]; [field: string]: unknown };

const work = (project: string) => ({ scope: "work", project });
const personal = { scope: "personal" };
const done = (daysAgo: number, resolution_note: string): Step[] => [
  { step: "resolve", resolved_at: ago(daysAgo), resolution_note },
];

/** `age` and `due` are days before and after today. */
const RECORDS: DemoRecord[] = [
  // Overdue, due today, due soon.
  {
    age: 12,
    due: -3,
    memory_type: "commitment",
    topic: "Send Grace the slides",
    content: "Promised in the Monday call; she needs them for the board.",
    tags: ["board"],
    ...work("Apollo"),
  },
  {
    age: 20,
    due: -1,
    memory_type: "commitment",
    topic: "Pay the electricity bill",
    content: "Second reminder came on paper.",
    ...personal,
  },
  {
    age: 9,
    due: -6,
    memory_type: "decision",
    topic: "Choose the pricing model",
    content: "Per seat or per document; Ada decides after the beta.",
    ...work("Apollo"),
  },
  {
    age: 5,
    due: 0,
    memory_type: "commitment",
    topic: "Review Linus's pull request",
    content: "He waits with the migration until it is in.",
    ...work("Apollo"),
  },
  {
    age: 7,
    due: 0,
    memory_type: "commitment",
    topic: "Call the dentist",
    content: "Before noon, ask for a Friday.",
    ...personal,
  },
  {
    age: 4,
    due: 1,
    memory_type: "commitment",
    topic: "Order the boots",
    content: "Size 42, the brown ones.",
    ...personal,
    project: "Mountains",
  },
  {
    age: 3,
    due: 3,
    memory_type: "commitment",
    topic: "Write the status page",
    content: "One paragraph for each incident, no apologies in passive voice.",
    ...work("Apollo"),
  },
  {
    age: 6,
    due: 6,
    memory_type: "commitment",
    topic: "Book the hut",
    content: "Two nights, four people.",
    ...personal,
    project: "Mountains",
  },
  {
    age: 2,
    due: 21,
    memory_type: "commitment",
    topic: "Renew the certificate of the mail server",
    content: "The old one ends in a month.",
    ...work("Infrastructure"),
  },
  // Stale.
  {
    age: 25,
    memory_type: "commitment",
    topic: "Give Tim his book back",
    content: "The one about gardens.",
    ...personal,
  },
  {
    age: 19,
    memory_type: "commitment",
    topic: "Tidy the shared drive",
    content: "Nobody finds the contracts.",
    ...work("Infrastructure"),
  },
  {
    age: 11,
    memory_type: "blocker",
    topic: "Certificate for staging",
    content: "The request lies with the other department.",
    ...work("Apollo"),
  },
  {
    age: 10,
    memory_type: "blocker",
    topic: "No answer from the landlord",
    content: "Window in the kitchen; wrote twice.",
    ...personal,
    project: "Flat",
  },
  // New, or recently confirmed.
  {
    age: 1,
    memory_type: "commitment",
    topic: "Prepare the workshop",
    content: "Three exercises, one hour each.",
    ...work("Workshop"),
  },
  {
    age: 22,
    memory_type: "commitment",
    topic: "Learn the song for the wedding",
    content: "Second voice.",
    ...personal,
    steps: [{ step: "confirm" }],
  },
  {
    age: 2,
    memory_type: "blocker",
    topic: "The test account is locked",
    content: "Support opens it on weekdays only.",
    ...work("Apollo"),
  },
  // Decisions, patterns, preferences and context.
  {
    age: 28,
    memory_type: "decision",
    topic: "One database for everything",
    content: "D1; search lives in it too. Fewer things to keep alive.",
    tags: ["architecture"],
    ...work("Apollo"),
    steps: [{ step: "supersede", content: "D1 for everything but files; files go to R2." }],
  },
  {
    age: 8,
    memory_type: "decision",
    topic: "Beta starts with ten customers",
    content: "Chosen by support, not by sales.",
    ...work("Apollo"),
  },
  {
    age: 15,
    memory_type: "decision",
    topic: "No flights below 800 km",
    content: "Trains are fine.",
    ...personal,
  },
  {
    age: 26,
    memory_type: "pattern",
    topic: "Estimates double after the design review",
    content: "Three projects in a row.",
    ...work("Apollo"),
  },
  {
    age: 24,
    memory_type: "pattern",
    topic: "Best writing before ten in the morning",
    content: "Meetings after lunch.",
    ...personal,
  },
  {
    age: 29,
    memory_type: "preference",
    topic: "Short mails",
    content: "Five sentences at most, the question first.",
    scope: "work",
  },
  {
    age: 29,
    memory_type: "preference",
    topic: "Window seat",
    content: "And no aisle on night trains.",
    ...personal,
  },
  {
    age: 27,
    memory_type: "context",
    topic: "Who is who in Apollo",
    content: "Grace: board. Linus: platform. Ada: product.",
    ...work("Apollo"),
  },
  {
    age: 18,
    memory_type: "context",
    topic: "Key of the cellar",
    content: "Hangs behind the door, the one with the blue ring.",
    ...personal,
    project: "Flat",
  },
  // Deferred.
  {
    age: 16,
    memory_type: "commitment",
    topic: "Plan the summer holidays",
    content: "Ask the others first.",
    ...personal,
    steps: [{ step: "defer", wakes_in: 20, note: "Nobody knows their dates yet" }],
  },
  {
    age: 14,
    due: 40,
    memory_type: "commitment",
    topic: "Second security review",
    content: "After the beta.",
    ...work("Apollo"),
    steps: [{ step: "defer", wakes_in: 30, note: "After the beta" }],
  },
  {
    age: 21,
    memory_type: "commitment",
    topic: "Paint the kitchen",
    content: "White, again.",
    ...personal,
    project: "Flat",
    steps: [{ step: "defer", note: "When the window is in" }],
  },
  // History.
  {
    age: 30,
    memory_type: "commitment",
    topic: "Sign the contract with the printer",
    content: "Two copies.",
    ...work("Workshop"),
    steps: done(27, "Signed and scanned"),
  },
  {
    age: 30,
    memory_type: "blocker",
    topic: "No budget for the workshop",
    content: "Waiting for finance.",
    ...work("Workshop"),
    steps: done(24, "Granted"),
  },
  {
    age: 29,
    memory_type: "commitment",
    topic: "Invite the speakers",
    content: "Five names.",
    ...work("Workshop"),
    steps: done(22, "Four said yes"),
  },
  {
    age: 26,
    memory_type: "commitment",
    topic: "Return the borrowed drill",
    content: "To the neighbour on the third floor.",
    ...personal,
    steps: done(20, "With a cake"),
  },
  {
    age: 25,
    memory_type: "commitment",
    topic: "Write the first exercise",
    content: "Warm-up, 20 minutes.",
    ...work("Workshop"),
    steps: done(18, "Tried with two colleagues"),
  },
  {
    age: 23,
    memory_type: "decision",
    topic: "Which room",
    content: "The large one or the bright one.",
    ...work("Workshop"),
    steps: done(17, "The bright one"),
  },
  {
    age: 22,
    memory_type: "commitment",
    topic: "Tax papers",
    content: "All receipts of last year.",
    ...personal,
    steps: done(14, "Sent"),
  },
  {
    age: 20,
    memory_type: "commitment",
    topic: "Update the dependencies",
    content: "And read their change logs.",
    ...work("Infrastructure"),
    steps: done(13, "Two needed changes of ours"),
  },
  {
    age: 17,
    memory_type: "commitment",
    topic: "Restore a backup, for practice",
    content: "On an empty machine.",
    ...work("Infrastructure"),
    steps: done(10, "Took 40 minutes; written down"),
  },
  {
    age: 15,
    memory_type: "blocker",
    topic: "Search is slow on staging",
    content: "Three seconds for two words.",
    ...work("Apollo"),
    steps: done(8, "The index was missing"),
  },
  {
    age: 13,
    memory_type: "commitment",
    topic: "Answer the two angry mails",
    content: "By phone.",
    ...work("Apollo"),
    steps: done(11, "Both stay"),
  },
  {
    age: 12,
    memory_type: "commitment",
    topic: "Birthday present for Mia",
    content: "She likes maps.",
    ...personal,
    steps: done(6, "A map of the moon"),
  },
  {
    age: 9,
    memory_type: "commitment",
    topic: "Check the tent",
    content: "Poles and pegs.",
    ...personal,
    project: "Mountains",
    steps: done(4, "One pole was bent"),
  },
  {
    age: 8,
    memory_type: "commitment",
    topic: "Draft of the price page",
    content: "Three columns.",
    ...work("Apollo"),
    steps: done(3, "Ada has it"),
  },
  {
    age: 6,
    memory_type: "commitment",
    topic: "Rota for the first weekend",
    content: "Two people each day.",
    ...work("Apollo"),
    steps: done(2, "Everybody agreed"),
  },
  {
    age: 5,
    memory_type: "commitment",
    topic: "Water the plants next door",
    content: "While they are away.",
    ...personal,
    steps: done(1, "All alive"),
  },
  {
    age: 3,
    memory_type: "blocker",
    topic: "Printer is out of toner",
    content: "Badges for the workshop.",
    ...work("Workshop"),
    steps: done(0, "New one came"),
  },
  {
    age: 28,
    memory_type: "commitment",
    topic: "Try the other editor",
    content: "For a week.",
    ...personal,
    steps: [{ step: "archive", note: "Not worth the week" }],
  },
  {
    age: 19,
    memory_type: "commitment",
    topic: "Newsletter about the beta",
    content: "One page.",
    ...work("Apollo"),
    steps: [{ step: "archive", note: "Marketing does it" }],
  },
  {
    age: 11,
    memory_type: "commitment",
    topic: "Rename the repository",
    content: "Nobody likes the name.",
    ...work("Infrastructure"),
    steps: [...done(7, "Done"), { step: "reopen" }],
  },
];

async function signIn({
  url,
  email,
  password,
  timezone,
}: Options): Promise<{ token: string; password: string }> {
  const call = clientOf(url);
  const chosen = password ?? randomBytes(12).toString("base64url");
  type Tokens = { access_token: string };
  const fresh = await call<Tokens>("POST", "/api/auth/register", { email, password: chosen, timezone }).catch(
    (problem: unknown) => {
      if (password && problem instanceof Refusal && problem.status === 400) return null;
      throw problem;
    },
  );
  const tokens = fresh ?? (await call<Tokens>("POST", "/api/auth/login", { email, password: chosen }));
  return { token: tokens.access_token, password: chosen };
}

/** Throws unless the account is empty. */
async function checkEmpty(call: Call): Promise<void> {
  for (const kind of ["documents", "folders", "memories"]) {
    const { total } = await call<{ total: number }>("GET", `/api/${kind}?limit=1`);
    if (total > 0) throw new Error(`This account already has ${total} ${kind}: the demo needs an empty one`);
  }
}

async function makeDocuments(call: Call): Promise<void> {
  const ids = new Map<string, string>();
  for (const [key, name] of Object.entries(FOLDERS)) {
    ids.set(key, (await call<{ id: string }>("POST", "/api/folders", { name })).id);
  }
  for (const { folder, title, tags, text } of DOCUMENTS) {
    const folder_id = folder && ids.get(folder);
    await call("POST", "/api/documents", { title, tags, folder_id, content: { format: "markdown", text } });
  }
}

async function makeRecords(call: Call, timezone: string): Promise<void> {
  const day = (days: number) => addDays(dayOf(new Date(), timezone), days);
  for (const { age, due, steps = [], ...said } of RECORDS) {
    const record = { ...said, created_at: ago(age), ...(due !== undefined && { due_date: day(due) }) };
    const { id } = await call<{ id: number }>("POST", "/api/memories", record);
    for (const { step, wakes_in, ...body } of steps) {
      const deferral = wakes_in === undefined ? {} : { deferred_until: day(wakes_in) };
      await call("POST", `/api/memories/${id}/${step}`, { ...body, ...deferral });
    }
  }
}

async function demo(options: Options): Promise<void> {
  const { token, password } = await signIn(options);
  const call = clientOf(options.url, token);
  await checkEmpty(call);
  await makeDocuments(call);
  await makeRecords(call, (await call<{ timezone: string }>("GET", "/api/auth/me")).timezone);
  console.log(`${DOCUMENTS.length} documents and ${RECORDS.length} records are at ${options.url}`);
  console.log(`e-mail:   ${options.email}\npassword: ${password}`);
}

const { url, ...options } = new Command("demo")
  .description("Fills a new account with a month of realistic documents and records")
  .option("--url <url>", "address of the service", "http://localhost:8000")
  .option("--email <email>", "the account; created if it does not exist", "demo@example.com")
  .option("--password <password>", "its password; a new account gets a random one")
  .option("--timezone <zone>", "its time zone", Intl.DateTimeFormat().resolvedOptions().timeZone)
  .parse()
  .opts<Options>();

await demo({ ...options, url: apiUrl(url) }).catch((problem: Error) => {
  console.error(problem.message);
  process.exitCode = 1;
});
