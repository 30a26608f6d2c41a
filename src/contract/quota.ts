/** `bytes` counts all texts, including the trash and earlier versions; see migration 0027. */
export const LIMITED_RESOURCES = [
  "documents",
  "records",
  "bytes",
  "api_keys",
  "connections",
  "requests_per_day",
] as const;
export type LimitedResource = (typeof LIMITED_RESOURCES)[number];

/** A request that exceeds a limit of the plan. */
export type QuotaExceeded = {
  plan: string;
  name: LimitedResource;
  limit: number;
  used: number;
  /** How much the request would add. */
  more: number;
  /** Whether larger plans can be bought here. */
  isSold: boolean;
};

const NUMBER = new Intl.NumberFormat("en");
const SIZES = ["bytes", "kB", "MB", "GB"];

function formatBytes(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${NUMBER.format(Number((bytes / 1000 ** step).toFixed(1)))} ${SIZES[step]}`;
}

const ASK_OPERATOR = "ask the operator of this service for a larger plan";
const BUY_PLAN = "choose a larger plan in Settings, Plan";

const REMEDIES: Record<LimitedResource, string> = {
  documents: "delete documents that you no longer need",
  records: "delete records that you no longer need",
  bytes: "delete what you no longer need and empty the trash; the trash and earlier versions count, too",
  api_keys: "revoke a key that you no longer use",
  connections: "end a connection that you no longer use",
  requests_per_day: "wait until midnight UTC",
};

function describeUsage({ plan, name, limit, used, more }: QuotaExceeded): string {
  if (name === "bytes") {
    const usage = `you use ${formatBytes(used)} of the ${formatBytes(limit)} of the ${plan} plan`;
    return `Your storage is full: ${usage}, and this needs ${formatBytes(more)} more`;
  }
  const [has, allowed] = [NUMBER.format(used), NUMBER.format(limit)];
  if (name === "requests_per_day")
    return `You have sent ${has} of the ${allowed} requests a day of the ${plan} plan`;
  const noun = name === "api_keys" ? "API keys" : name;
  const added = more > 1 ? `, and this would add ${NUMBER.format(more)}` : "";
  return used > limit
    ? `You have ${has} ${noun}, and the ${plan} plan allows ${allowed}`
    : `You have ${has} of the ${allowed} ${noun} of the ${plan} plan${added}`;
}

/** The error message: which limit is reached, how much is used, and what to do. */
export const quotaExceededText = (full: QuotaExceeded): string =>
  `${describeUsage(full)}: ${REMEDIES[full.name]}, or ${full.isSold ? BUY_PLAN : ASK_OPERATOR}`;

/** Parses the words of a failed `assertInBatch`: see features/billing/quota-store.ts. */
export function parseQuotaExceeded(words: string): QuotaExceeded {
  const [plan = "", name, limit, used, more, sold] = words.split(" ");
  const numbers = { limit: Number(limit), used: Number(used), more: Number(more) };
  return { plan, name: name as LimitedResource, ...numbers, isSold: sold === "sold" };
}
