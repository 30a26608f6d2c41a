export const DEMO_FOLDERS = { work: "Work", home: "Home", reading: "Reading notes" };

type DemoDocument = {
  folder: keyof typeof DEMO_FOLDERS | null;
  title: string;
  tags: string[];
  text: string;
};

export const DEMO_DOCUMENTS: DemoDocument[] = [
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
