import { distance } from "fastest-levenshtein";

const SYNONYMS = [
  ["content", "text", "body", "description", "markdown", "message"],
  ["title", "topic", "name", "subject", "heading", "summary"],
  ["due_date", "deadline", "due_on"],
  ["deferred_until", "until", "snooze", "wake_at"],
  ["resolution_note", "note", "comment", "reason", "outcome"],
  ["memory_type", "type", "kind", "category"],
  ["tags", "tag", "labels", "label", "keywords"],
  ["folder_id", "parent_id", "folder", "directory"],
  ["q", "query", "search", "term"],
  ["limit", "per_page", "page_size", "size", "count", "top", "first"],
  ["offset", "page", "skip", "start"],
  ["sort", "order_by"],
  ["updated_after", "updated_since", "since", "from"],
  ["updated_before", "updated_until", "until", "to"],
  ["changed_after", "changed_since", "modified_after"],
  ["changed_before", "changed_until", "modified_before"],
  ["current_password", "old_password"],
  ["password", "pass", "pwd", "secret"],
  ["email", "mail", "user", "username", "login"],
  ["timezone", "tz", "zone"],
  ["scopes", "permissions", "roles"],
  ["expires_at", "expiry", "expiration", "valid_until"],
  ["permanent", "force", "hard"],
  ["on_content", "force", "recursive"],
];

const IGNORED_WORDS = new Set(["id", "at", "is", "of", "by", "to"]);

/** Names are compared up to this length. */
const MAX_LENGTH = 60;

const snakeCase = (name: string) =>
  name
    .slice(0, MAX_LENGTH)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");

const wordsOf = (name: string) => name.split("_").filter((word) => word !== "" && !IGNORED_WORDS.has(word));

const isSimilarWord = (a: string, b: string) =>
  a === b ||
  (Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a))) ||
  (Math.min(a.length, b.length) >= 4 && distance(a, b) === 1);

const countSharedWords = (name: string, known: string) =>
  wordsOf(known).filter((word) => wordsOf(name).some((other) => isSimilarWord(word, other))).length;

/** The known name that was probably meant: another spelling, a synonym, a shared word, or a typo. */
export function nearestName(sent: string, known: readonly string[]): string | undefined {
  const name = snakeCase(sent);
  if (known.includes(name)) return name;
  const synonyms = SYNONYMS.filter((group) => group.includes(name)).flat();
  const synonym = synonyms.find((one) => known.includes(one));
  if (synonym) return synonym;
  const candidates = known.map((one) => ({
    one,
    shared: countSharedWords(name, one),
    errors: distance(name, one),
  }));
  const [best] = candidates.sort((a, b) => b.shared - a.shared || a.errors - b.errors);
  const isNear = best && (best.shared > 0 || (name.length >= 3 && best.errors <= (name.length + 1) / 3));
  return isNear ? best.one : undefined;
}
