import { type SQL, sql } from "drizzle-orm";
import { nameKey } from "../../contract/name-key.ts";
import type { Ctx } from "../../platform/core/ctx.ts";
import {
  type BriefingParts,
  briefingOf,
  briefingStatements,
  dueSoonStatement,
  preferencesStatement,
} from "../dashboard/store.ts";
import { type ActiveItem, activeItem } from "../memories/active-store.ts";
import { todayOf } from "../memories/ages.ts";
import { alertItem, dueStatement, overdueStatement } from "../memories/alert-store.ts";
import type { List, Page } from "../memories/filter-store.ts";
import { importantFirst } from "../memories/priority.ts";
import { type Attention, readWithSettings } from "../memories/row-store.ts";

/** More would not fit into the text. */
const PAGE: Page = { limit: 12, offset: 0 };

type Sections = Pick<BriefingParts, "overdue" | "due_soon"> &
  Partial<Pick<BriefingParts, "stale" | "blockers" | "recent_decisions">>;

export type Briefing = {
  today: string;
  timezone: string;
  /** As its records spell it; null for all projects. */
  project: string | null;
  /** Names that were sent, none of which is a project. */
  unknown: readonly string[];
  sections: Sections;
  preferences: List<ActiveItem>;
  /** What is due in all projects together, this one included. */
  everywhere: { overdue: number; due_soon: number };
};

/** The spellings, as a SELECT, of the first of these names that is a project with records. It binds one value. */
function firstProject({ owner }: Ctx, names: readonly string[]): SQL {
  const keys = JSON.stringify(names.map(nameKey));
  // The owner's number is ours, and written out: the statement it is part of has it many times, and D1 binds 100 values.
  const of = sql.raw(`owner = ${Number(owner)}`);
  return sql`WITH sent AS (SELECT key AS place, value AS name FROM json_each(${keys})),
    spelled AS (SELECT place, name FROM sent UNION SELECT sent.place, spellings.name
      FROM sent JOIN spellings ON ${of} AND kind = 'project' AND spellings.key = sent.name),
    known AS (SELECT place, name FROM spelled
      WHERE EXISTS (SELECT 1 FROM memory_totals WHERE ${of} AND project = spelled.name))
    SELECT name FROM known WHERE place = (SELECT min(place) FROM known)`;
}

type Known = Pick<Briefing, "today" | "timezone">;

const listed = <Item>(items: Item[]): List<Item> => ({ items, total: items.length });

type Asked = { names: readonly string[]; preferences: boolean };

const pageOf = ({ preferences }: Asked): Page => ({ ...PAGE, limit: preferences ? PAGE.limit : 0 });

async function readAll(ctx: Ctx, attention: Attention, asked: Asked, known: Known): Promise<Briefing> {
  const [preferred, ...answers] = await ctx.db.batch([
    preferencesStatement(ctx, {}, pageOf(asked)),
    ...briefingStatements(ctx, attention, {}, PAGE),
  ]);
  const sections = briefingOf(answers, attention);
  return {
    ...known,
    ...{ project: null, unknown: [], sections },
    preferences: listed(preferred.map((row) => activeItem(row, attention))),
    everywhere: { overdue: sections.overdue.total, due_soon: sections.due_soon.total },
  };
}

/** In one call: what the names may be is decided in the statements, and if they are nothing, all projects are there. */
async function readProject(ctx: Ctx, attention: Attention, asked: Asked, known: Known): Promise<Briefing> {
  const { names } = asked;
  const project = firstProject(ctx, names);
  const [found, preferred, overdue, dueSoon, [due], ...answers] = await ctx.db.batch([
    ctx.db.all<{ name: string }>(project),
    preferencesStatement(ctx, { project }, pageOf(asked)),
    overdueStatement(ctx, attention, {}, PAGE),
    dueSoonStatement(ctx, attention, {}, PAGE),
    dueStatement(ctx, attention, {}),
    ...briefingStatements(ctx, attention, { project }, PAGE),
  ]);
  const everywhere = { overdue: due?.overdue ?? 0, due_soon: (due?.due_today ?? 0) + (due?.due_soon ?? 0) };
  const all: Sections = {
    overdue: {
      items: importantFirst(overdue.map((row) => alertItem(row, attention))),
      total: everywhere.overdue,
    },
    due_soon: {
      items: importantFirst(dueSoon.map((row) => activeItem(row, attention))),
      total: everywhere.due_soon,
    },
  };
  const [first] = found;
  return {
    ...known,
    project: first?.name ?? null,
    unknown: first ? [] : names,
    sections: first ? briefingOf(answers, attention) : all,
    preferences: listed(preferred.map((row) => activeItem(row, attention))),
    everywhere,
  };
}

/** What matters in the first of these names that is a project, or in all projects. */
export const readBriefing = (ctx: Ctx, asked: Asked): Promise<Briefing> =>
  readWithSettings(ctx, (attention) => {
    const known = { today: todayOf(attention), timezone: attention.timezone };
    const read = asked.names.length === 0 ? readAll : readProject;
    return read(ctx, attention, asked, known);
  });
