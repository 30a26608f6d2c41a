import { TIDY_KIND_INFO, TIDY_KINDS, type TidyFinding } from "../../src/contract/tidy-kinds.ts";
import type { TidySubject } from "../../src/shared/tidy/fingerprint.ts";
import type { MemoryFile } from "./memory-file.ts";

const WIDTH = 90;

const shorten = (text: string) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1).toWellFormed()}…`;
};

/** The text of a finding; empty for a secret, which must not be printed. */
const findingText = ({ title, text }: TidySubject, kind: TidyFinding["kind"]) => {
  if (kind === "secret") return "";
  return `: ${shorten([title, text].filter((part) => part !== "").join(" – "))}`;
};

/** Describes the findings in a file, at most `limit` of each kind, and what cannot be found in it. */
export function describeFindings(
  source: MemoryFile,
  findings: readonly TidyFinding[],
  limit: number,
): string {
  const { name, things, unread, unmeasured } = source;
  const byId = new Map(things.map((thing) => [thing.id, thing]));
  const groups = TIDY_KINDS.flatMap((kind) => {
    const found = findings.filter((finding) => finding.kind === kind);
    if (found.length === 0) return [];
    const shown = found.slice(0, limit).flatMap(({ items, detail }) => [
      `  ${TIDY_KIND_INFO[kind].reason(shorten(detail))}`,
      ...items.flatMap(({ id }) => {
        const thing = byId.get(id);
        return thing ? [`    ${id}${findingText(thing, kind)}`] : [];
      }),
    ]);
    const more = found.length > limit ? [`  … and ${found.length - limit} more: --all shows them`] : [];
    return [`${TIDY_KIND_INFO[kind].title}: ${found.length}`, ...shown, ...more, ""];
  });
  const doubles = findings
    .filter(({ kind }) => kind.startsWith("double_"))
    .flatMap(({ items }) => items.slice(1));
  const share = things.length === 0 ? 0 : Math.round((1000 * doubles.length) / things.length) / 10;
  return [
    `${things.length} texts in ${name}${unread > 0 ? `; ${unread} lines could not be read` : ""}`,
    `${share} % of them duplicate another`,
    "",
    ...(groups.length > 0 ? groups : ["Nothing to tidy up", ""]),
    "Not checked in this file:",
    ...unmeasured.map((one) => `  ${one}`),
  ].join("\n");
}
