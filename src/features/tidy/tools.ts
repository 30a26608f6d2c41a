import { z } from "zod";
import { prefixedId } from "../../contract/links.ts";
import { SCREENS } from "../../contract/paths.ts";
import type { Finding } from "../../contract/tidy.ts";
import type { TidyKind } from "../../contract/tidy-kinds.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import { jobProgressText } from "../../platform/jobs/run.ts";
import { defineTool } from "../../platform/tools/tool.ts";
import { ACCESS_BY_KIND } from "../search/fetch-tools.ts";
import { startLookIfChanged } from "./job.ts";
import { listFindings, type ReadableTypes } from "./list-store.ts";

const PAGE_SIZE = 20;
const TITLE_LENGTH = 80;

/** `first` and `last` are ids, `others` all but the first; `page`: URL where the user can erase items permanently. */
type FindingIds = { first: string; last: string; others: string; page: string };

const onlyUser = ({ last, page }: FindingIds) => `tell the user, who alone can erase it: ${page}, ${last}`;

const CALLS: Record<TidyKind, (named: FindingIds) => string> = {
  secret: onlyUser,
  old_secret: onlyUser,
  trashed_secret: onlyUser,
  double_record: ({ first, others }) =>
    `close_memories ids ${others} outcome archived note "merged into ${first}"; update_memory ${first} with what only they say`,
  double_document: ({ others }) => `delete_document ${others}`,
  contradiction: ({ first, last }) =>
    `ask which holds; close_memories ids ${last} outcome archived note "replaced by ${first}"`,
  old_preference: ({ first, last }) =>
    `close_memories ids ${last} outcome archived note "replaced by ${first}"`,
  said_done: ({ last }) => `close_memories ids ${last} outcome resolved`,
  one_word_topic: ({ last }) => `update_memory ${last} with a topic that tells more`,
  unused_document: ({ last }) => `ask whether it is needed; delete_document ${last}`,
  unlinked_document: ({ last }) =>
    `ask which document it belongs to, and add a link [[title]] there by edit_document; or delete_document ${last}`,
};

function findingLine({ kind, reason, items }: Finding, page: string) {
  const ids = items.map(({ type, id }) => prefixedId({ kind: type, id }));
  const [first = "", ...others] = ids;
  return {
    ids,
    titles: items.map(({ title }) => title.slice(0, TITLE_LENGTH).toWellFormed()),
    reason,
    call: CALLS[kind]({ first, last: ids.at(-1) ?? "", others: others.join(", "), page }),
  };
}

const readableTypes = ({ scopes }: Ctx): ReadableTypes =>
  (["memory", "document"] as const).filter((type) => !scopes || scopes.includes(ACCESS_BY_KIND[type]));

export const tidyTool = defineTool({
  name: "tidy",
  title: "Tidy up",
  description: "Duplicates, contradictions, secrets and what is done, with the call to settle each.",
  access: ["docs:read", "memory:read"],
  adds: [],
  changes: [],
  quotes: true,
  hints: { destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ offset: z.int().optional() }),
  output: z.strictObject({
    // The fields are plain from the answer and would cost tokens here.
    findings: z.array(z.unknown()),
    note: z.string().optional(),
  }),
  run: async (ctx, { offset: sent = 0 }) => {
    const offset = Math.max(0, sent);
    // Further pages belong to the same look.
    const { job } = offset === 0 ? await startLookIfChanged(ctx) : {};
    const query = { kept: false, limit: PAGE_SIZE, offset };
    const { items, total } = await listFindings(ctx, query, readableTypes(ctx));
    const left = total - offset - items.length;
    const more = left > 0 ? `${left} of ${total} more: offset ${offset + items.length}` : undefined;
    const page = `${ctx.public_url ?? ""}${SCREENS.tidy.path}`;
    const note = job ? jobProgressText(job) : more;
    return {
      findings: items.map((finding) => findingLine(finding, page)),
      ...(note !== undefined && { note }),
    };
  },
});
