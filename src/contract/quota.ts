/** What is limited. Bytes are those of all texts, with the trash and earlier versions; see migration 0027. */
export const LIMITED = [
  "documents",
  "records",
  "bytes",
  "api_keys",
  "connections",
  "requests_per_day",
] as const;
export type Limited = (typeof LIMITED)[number];

/** A refusal: which limit of which plan, how much of it is used, and how much more was asked for. */
export type Full = {
  plan: string;
  name: Limited;
  limit: number;
  used: number;
  more: number;
  /** Whether larger plans can be paid for here. */
  isSold: boolean;
};

const NUMBER = new Intl.NumberFormat("en");
const SIZES = ["bytes", "kB", "MB", "GB"];

function size(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${NUMBER.format(Number((bytes / 1000 ** step).toFixed(1)))} ${SIZES[step]}`;
}

const OPERATOR = "ask the operator of this service for a larger plan";
const SOLD = "choose a larger plan in Settings, Plan";

const REMEDIES: Record<Limited, string> = {
  documents: "delete documents that you no longer need",
  records: "delete records that you no longer need",
  bytes: "delete what you no longer need and empty the trash, which counts too, as earlier versions do",
  api_keys: "revoke a key that you no longer use",
  connections: "end a connection that you no longer use",
  requests_per_day: "wait until midnight UTC",
};

const NOUNS: Record<Limited, string> = {
  documents: "documents",
  records: "records",
  bytes: "storage",
  api_keys: "API keys",
  connections: "connections",
  requests_per_day: "requests a day",
};

function hasOf({ plan, name, limit, used, more }: Full): string {
  if (name === "bytes") {
    const of = `you use ${size(used)} of the ${size(limit)} of the plan ${plan}`;
    return `Your storage is full: ${of}, and this needs ${size(more)} more`;
  }
  const [has, allowed] = [NUMBER.format(used), NUMBER.format(limit)];
  if (name === "requests_per_day")
    return `You have sent ${has} of the ${allowed} requests a day of the plan ${plan}`;
  const added = more > 1 ? `, and this would add ${NUMBER.format(more)}` : "";
  return used > limit
    ? `You have ${has} ${NOUNS[name]}, and the plan ${plan} allows ${allowed}`
    : `You have ${has} of the ${allowed} ${NOUNS[name]} of the plan ${plan}${added}`;
}

/** The text for a caller who reached a limit: which one, how much of it is used, and what to do. */
export const fullText = (full: Full): string =>
  `${hasOf(full)}: ${REMEDIES[full.name]}, or ${full.isSold ? SOLD : OPERATOR}`;

/** The same from the words of an `assertInBatch` that refused: see features/billing/quota-store.ts. */
export function fullFrom(words: string): Full {
  const [plan = "", name, limit, used, more, sold] = words.split(" ");
  const numbers = { limit: Number(limit), used: Number(used), more: Number(more) };
  return { plan, name: name as Limited, ...numbers, isSold: sold === "sold" };
}
