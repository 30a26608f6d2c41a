import { type SQL, sql } from "drizzle-orm";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import {
  type BriefingParts,
  briefingStatements,
  buildBriefing,
  dueSoonStatement,
  preferencesStatement,
} from "../dashboard/store.ts";
import { type ActiveItem, activeItem, sortByPriority } from "../memories/active-store.ts";
import { currentDay } from "../memories/ages.ts";
import { alertCountsStatement, alertItem, overdueStatement } from "../memories/alert-store.ts";
import type { ItemPage, PageRange } from "../memories/filter-store.ts";
import { readWithSettings, type SettingsClock } from "../memories/row-store.ts";

/** More items would not fit into the text. */
const PAGE: PageRange = { limit: 12, offset: 0 };

type Sections = Pick<BriefingParts, "overdue" | "due_soon"> &
  Partial<Pick<BriefingParts, "stale" | "blockers" | "recent_decisions">>;

export type Briefing = {
  today: string;
  timezone: string;
  /** Spelled as in its records; null for all projects. */
  project: string | null;
  /** The requested names, if none of them is a project. */
  unknown: readonly string[];
  sections: Sections;
  preferences: ItemPage<ActiveItem>;
  /** Totals of all projects together, including this one. */
  everywhere: { overdue: number; due_soon: number };
};

/** All spellings of the first of these names that is a project with records, as a SELECT with one bound value. */
function firstProject({ owner }: Ctx, names: readonly string[]): SQL {
  const keys = JSON.stringify(names.map(nameKey));
  // Inlined, because the statement repeats it and D1 allows 100 bound values. It is our number, so this is safe.
  const isOwned = sql.raw(`owner = ${Number(owner)}`);
  return sql`WITH sent AS (SELECT key AS place, value AS name FROM json_each(${keys})),
    spelled AS (SELECT place, name FROM sent UNION SELECT sent.place, spellings.name
      FROM sent JOIN spellings ON ${isOwned} AND kind = 'project' AND spellings.key = sent.name),
    known AS (SELECT place, name FROM spelled
      WHERE EXISTS (SELECT 1 FROM memory_totals WHERE ${isOwned} AND project = spelled.name))
    SELECT name FROM known WHERE place = (SELECT min(place) FROM known)`;
}

type BriefingContent = Omit<Briefing, "today" | "timezone">;

const toList = <Item>(items: Item[]): ItemPage<Item> => ({ items, total: items.length });

type BriefingRequest = { names: readonly string[]; preferences: boolean };

const preferencesPage = ({ preferences }: BriefingRequest): PageRange => ({
  ...PAGE,
  limit: preferences ? PAGE.limit : 0,
});

async function readAll(ctx: Ctx, clock: SettingsClock, request: BriefingRequest): Promise<BriefingContent> {
  const [preferred, ...answers] = await ctx.db.batch([
    preferencesStatement(ctx, {}, preferencesPage(request)),
    ...briefingStatements(ctx, clock, {}, PAGE),
  ]);
  const sections = buildBriefing(answers, clock);
  return {
    project: null,
    unknown: [],
    sections,
    preferences: toList(preferred.map((row) => activeItem(row, clock))),
    everywhere: { overdue: sections.overdue.total, due_soon: sections.due_soon.total },
  };
}

/** One database call: the project is resolved within the statements. The lists of all projects are the fallback. */
async function readProject(
  ctx: Ctx,
  clock: SettingsClock,
  request: BriefingRequest,
): Promise<BriefingContent> {
  const { names } = request;
  const project = firstProject(ctx, names);
  const [found, preferred, overdue, dueSoon, [due], ...answers] = await ctx.db.batch([
    ctx.db.all<{ name: string }>(project),
    preferencesStatement(ctx, { project }, preferencesPage(request)),
    overdueStatement(ctx, clock, {}, PAGE),
    dueSoonStatement(ctx, clock, {}, PAGE),
    alertCountsStatement(ctx, clock, {}),
    ...briefingStatements(ctx, clock, { project }, PAGE),
  ]);
  const everywhere = { overdue: due?.overdue ?? 0, due_soon: (due?.due_today ?? 0) + (due?.due_soon ?? 0) };
  const all: Sections = {
    overdue: {
      items: sortByPriority(overdue.map((row) => alertItem(row, clock))),
      total: everywhere.overdue,
    },
    due_soon: {
      items: sortByPriority(dueSoon.map((row) => activeItem(row, clock))),
      total: everywhere.due_soon,
    },
  };
  const [first] = found;
  return {
    project: first?.name ?? null,
    unknown: first ? [] : names,
    sections: first ? buildBriefing(answers, clock) : all,
    preferences: toList(preferred.map((row) => activeItem(row, clock))),
    everywhere,
  };
}

/** The briefing of the first of these names that is a project, or else of all projects. */
export const readBriefing = (ctx: Ctx, request: BriefingRequest): Promise<Briefing> =>
  readWithSettings(ctx, async (clock) => {
    const read = request.names.length === 0 ? readAll : readProject;
    const content = await read(ctx, clock, request);
    return { today: currentDay(clock), timezone: clock.timezone, ...content };
  });
