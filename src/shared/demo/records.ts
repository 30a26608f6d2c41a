const DAY = 86_400_000;

/** The instant this many days and three hours ago. */
export const daysAgo = (days: number) => new Date(Date.now() - days * DAY - 3 * 3_600_000).toISOString();

type DemoStep = { step: string; wakes_in?: number; [field: string]: unknown };

/** `age`: created this many days ago. `due`: due this many days from today. */
type DemoRecord = { age: number; due?: number; steps?: DemoStep[]; [field: string]: unknown };

const ofType = (memory_type: string) => (fields: DemoRecord, topic: string, content: string) => ({
  ...fields,
  memory_type,
  topic,
  content,
});
const [commitment, decision, blocker] = [ofType("commitment"), ofType("decision"), ofType("blocker")];
const [pattern, preference, context] = [ofType("pattern"), ofType("preference"), ofType("context")];

const work = (project: string) => ({ scope: "work", project });
const personal = (project?: string) => ({ scope: "personal", ...(project && { project }) });
const resolved = (days: number, resolution_note: string): DemoStep[] => [
  { step: "resolve", resolved_at: daysAgo(days), resolution_note },
];

export const DEMO_RECORDS: DemoRecord[] = [
  // Overdue, due today, due soon.
  commitment(
    { age: 12, due: -3, tags: ["board"], ...work("Apollo") },
    "Send Grace the slides",
    "Promised in the Monday call; she needs them for the board.",
  ),
  commitment(
    { age: 20, due: -1, ...personal() },
    "Pay the electricity bill",
    "Second reminder came on paper.",
  ),
  decision(
    { age: 9, due: -6, ...work("Apollo") },
    "Choose the pricing model",
    "Per seat or per document; Ada decides after the beta.",
  ),
  commitment(
    { age: 5, due: 0, ...work("Apollo") },
    "Review Linus's pull request",
    "He waits with the migration until it is in.",
  ),
  commitment({ age: 7, due: 0, ...personal() }, "Call the dentist", "Before noon, ask for a Friday."),
  commitment({ age: 4, due: 1, ...personal("Mountains") }, "Order the boots", "Size 42, the brown ones."),
  commitment(
    { age: 3, due: 3, ...work("Apollo") },
    "Write the status page",
    "One paragraph for each incident, no apologies in passive voice.",
  ),
  commitment({ age: 6, due: 6, ...personal("Mountains") }, "Book the hut", "Two nights, four people."),
  commitment(
    { age: 2, due: 21, ...work("Infrastructure") },
    "Renew the certificate of the mail server",
    "The old one ends in a month.",
  ),
  // Stale.
  commitment({ age: 25, ...personal() }, "Give Tim his book back", "The one about gardens."),
  commitment({ age: 19, ...work("Infrastructure") }, "Tidy the shared drive", "Nobody finds the contracts."),
  blocker(
    { age: 11, ...work("Apollo") },
    "Certificate for staging",
    "The request lies with the other department.",
  ),
  blocker(
    { age: 10, ...personal("Flat") },
    "No answer from the landlord",
    "Window in the kitchen; wrote twice.",
  ),
  // Fresh, or confirmed lately.
  commitment({ age: 1, ...work("Workshop") }, "Prepare the workshop", "Three exercises, one hour each."),
  commitment(
    { age: 22, ...personal(), steps: [{ step: "confirm" }] },
    "Learn the song for the wedding",
    "Second voice.",
  ),
  blocker({ age: 2, ...work("Apollo") }, "The test account is locked", "Support opens it on weekdays only."),
  // Decisions, patterns, preferences and context.
  decision(
    {
      age: 28,
      tags: ["architecture"],
      ...work("Apollo"),
      steps: [{ step: "supersede", content: "D1 for everything but files; files go to R2." }],
    },
    "One database for everything",
    "D1; search lives in it too. Fewer things to keep alive.",
  ),
  decision(
    { age: 8, ...work("Apollo") },
    "Beta starts with ten customers",
    "Chosen by support, not by sales.",
  ),
  decision({ age: 15, ...personal() }, "No flights below 800 km", "Trains are fine."),
  pattern(
    { age: 26, ...work("Apollo") },
    "Estimates double after the design review",
    "Three projects in a row.",
  ),
  pattern({ age: 24, ...personal() }, "Best writing before ten in the morning", "Meetings after lunch."),
  preference({ age: 29, scope: "work" }, "Short mails", "Five sentences at most, the question first."),
  preference({ age: 29, ...personal() }, "Window seat", "And no aisle on night trains."),
  context(
    { age: 27, ...work("Apollo") },
    "Who is who in Apollo",
    "Grace: board. Linus: platform. Ada: product.",
  ),
  context(
    { age: 18, ...personal("Flat") },
    "Bins of the house",
    "Paper on the first Tuesday of the month, glass is ours to carry.",
  ),
  // Deferred.
  commitment(
    {
      age: 16,
      ...personal(),
      steps: [{ step: "defer", wakes_in: 20, note: "Nobody knows their dates yet" }],
    },
    "Plan the summer holidays",
    "Ask the others first.",
  ),
  commitment(
    { age: 14, due: 40, ...work("Apollo"), steps: [{ step: "defer", wakes_in: 30, note: "After the beta" }] },
    "Second security review",
    "After the beta.",
  ),
  commitment(
    { age: 21, ...personal("Flat"), steps: [{ step: "defer", note: "When the window is in" }] },
    "Paint the kitchen",
    "White, again.",
  ),
  // History.
  commitment(
    { age: 30, ...work("Workshop"), steps: resolved(27, "Signed and scanned") },
    "Sign the contract with the printer",
    "Two copies.",
  ),
  blocker(
    { age: 30, ...work("Workshop"), steps: resolved(24, "Granted") },
    "No budget for the workshop",
    "Waiting for finance.",
  ),
  commitment(
    { age: 29, ...work("Workshop"), steps: resolved(22, "Four said yes") },
    "Invite the speakers",
    "Five names.",
  ),
  commitment(
    { age: 26, ...personal(), steps: resolved(20, "With a cake") },
    "Return the borrowed drill",
    "To the neighbour on the third floor.",
  ),
  commitment(
    { age: 25, ...work("Workshop"), steps: resolved(18, "Tried with two colleagues") },
    "Write the first exercise",
    "Warm-up, 20 minutes.",
  ),
  decision(
    { age: 23, ...work("Workshop"), steps: resolved(17, "The bright one") },
    "Which room",
    "The large one or the bright one.",
  ),
  commitment(
    { age: 22, ...personal(), steps: resolved(14, "Sent") },
    "Tax papers",
    "All receipts of last year.",
  ),
  commitment(
    { age: 20, ...work("Infrastructure"), steps: resolved(13, "Two needed changes of ours") },
    "Update the dependencies",
    "And read their change logs.",
  ),
  commitment(
    { age: 17, ...work("Infrastructure"), steps: resolved(10, "Took 40 minutes; written down") },
    "Restore a backup, for practice",
    "On an empty machine.",
  ),
  blocker(
    { age: 15, ...work("Apollo"), steps: resolved(8, "The index was missing") },
    "Search is slow on staging",
    "Three seconds for two words.",
  ),
  commitment(
    { age: 13, ...work("Apollo"), steps: resolved(11, "Both stay") },
    "Answer the two angry mails",
    "By phone.",
  ),
  commitment(
    { age: 12, ...personal(), steps: resolved(6, "A map of the moon") },
    "Birthday present for Mia",
    "She likes maps.",
  ),
  commitment(
    { age: 9, ...personal("Mountains"), steps: resolved(4, "One pole was bent") },
    "Check the tent",
    "Poles and pegs.",
  ),
  commitment(
    { age: 8, ...work("Apollo"), steps: resolved(3, "Ada has it") },
    "Draft of the price page",
    "Three columns.",
  ),
  commitment(
    { age: 6, ...work("Apollo"), steps: resolved(2, "Everybody agreed") },
    "Rota for the first weekend",
    "Two people each day.",
  ),
  commitment(
    { age: 5, ...personal(), steps: resolved(1, "All alive") },
    "Water the plants next door",
    "While they are away.",
  ),
  blocker(
    { age: 3, ...work("Workshop"), steps: resolved(0, "New one came") },
    "Printer is out of toner",
    "Badges for the workshop.",
  ),
  commitment(
    { age: 28, ...personal(), steps: [{ step: "archive", note: "Not worth the week" }] },
    "Try the other editor",
    "For a week.",
  ),
  commitment(
    { age: 19, ...work("Apollo"), steps: [{ step: "archive", note: "Marketing does it" }] },
    "Newsletter about the beta",
    "One page.",
  ),
  commitment(
    { age: 11, ...work("Infrastructure"), steps: [...resolved(7, "Done"), { step: "reopen" }] },
    "Rename the repository",
    "Nobody likes the name.",
  ),
];
