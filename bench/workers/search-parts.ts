import { sql } from "drizzle-orm";
import { v7 as uuid } from "uuid";
import { analyse } from "../../src/engine/analyse.ts";
import { indexStatements } from "../../src/engine/index.ts";
import { planQuery } from "../../src/engine/plan-query.ts";
import { rankStatement } from "../../src/engine/rank.ts";
import type { Env } from "../../src/env.ts";
import { openDatabase } from "../../src/platform/db/call.ts";
import { openSession } from "../../src/platform/db/session.ts";
import { parseQuery } from "../../src/shared/query/query.ts";
import { PLAIN_TOKENIZER, PLAIN_WEIGHTS } from "../plain.ts";

// The parts of a search, each alone, to compare with the whole.

/** Documents to create for an owner; `plain`: also in an ordinary FTS5 table. */
export type Filling = {
  owner: number;
  documents: { title: string; tags: string[]; text: string }[];
  plain?: boolean;
};

const PLAIN = `CREATE VIRTUAL TABLE IF NOT EXISTS plain_index
  USING fts5(owner UNINDEXED, record UNINDEXED, title, body, tokenize = '${PLAIN_TOKENIZER}')`;

/** Writes documents and their search entries as the service does, in one batch. Returns their ids in order. */
async function fill(env: Env, { owner, documents, plain = false }: Filling): Promise<string[]> {
  const db = openDatabase(openSession(env.DB));
  const ctx = { db, now: new Date(), owner };
  const now = ctx.now.toISOString();
  const filled = documents.map((document) => ({ ...document, id: uuid() }));
  const statements = filled.flatMap(({ id, title, tags, text }) => [
    db.run(sql`
      INSERT INTO documents (id, owner, title, content, tags, source_type, version, created_at, updated_at)
      VALUES (${id}, ${owner}, ${title}, ${JSON.stringify({ format: "markdown", text })},
        ${JSON.stringify(tags)}, 'api', 1, ${now}, ${now})`),
    ...indexStatements(ctx, { kind: "document", record: id, title, tags, text }),
    ...(plain
      ? [
          db.run(
            sql`INSERT INTO plain_index (owner, record, title, body) VALUES (${owner}, ${id}, ${title}, ${text})`,
          ),
        ]
      : []),
  ]);
  if (plain) await env.DB.exec(PLAIN.replaceAll("\n", " "));
  await db.batch(statements as never);
  return filled.map(({ id }) => id);
}

/** The number of a user, which their rows are stored under. */
const ownerOf = (env: Env, user: string) =>
  env.DB.prepare("SELECT number FROM users WHERE id = ?").bind(user).first("number");

/** Runs only the statement of a search. */
async function rank(env: Env, owner: number, q: string): Promise<D1Meta> {
  const scope = { owner, kinds: ["document", "memory"] as const, limit: 20, offset: 0 };
  const { sql: text, params } = rankStatement(planQuery(owner, parseQuery(q)), scope);
  return (await openDatabase(openSession(env.DB)).run({ sql: text, params }, { effect: "none" })).meta;
}

/** What an ordinary FTS5 table finds, best first, and the rows that it read. */
export type Plain = { records: string[]; rows_read: number };

/** A MATCH on one FTS5 table shared by all, ranked by its own bm25. */
async function plain(
  env: Env,
  owner: number,
  { match, limit }: { match: string; limit: number },
): Promise<Plain> {
  const text = `SELECT record FROM plain_index WHERE plain_index MATCH ? AND owner = ?
    ORDER BY bm25(plain_index, 0, 0, ${PLAIN_WEIGHTS}) LIMIT +?`;
  const { results, meta } = await openSession(env.DB)
    .prepare(text)
    .bind(match, owner, limit)
    .all<{ record: string }>();
  return { records: results.map(({ record }) => record), rows_read: meta.rows_read };
}

const selectOne = async (env: Env) => (await openSession(env.DB).prepare("SELECT 1").all()).meta;

/** Analyses a text `times` times. */
function analyseTimes(text: string, times: number): number {
  let length = 0;
  for (let turn = 0; turn < times; turn++) length += analyse(1, { title: "", tags: [], body: text }).length;
  return length;
}

/** Bytes of the index: its segments and its list of documents. */
const indexBytes = (env: Env) =>
  env.DB.prepare("SELECT sum(length(block)) AS bytes FROM search_index_data").first("bytes");

/** Answers a request for a part; undefined for a request to the service. */
export async function answerPart(request: Request, env: Env): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url);
  const owner = Number(searchParams.get("owner"));
  const q = searchParams.get("q") ?? "";
  switch (pathname) {
    case "/part/fill":
      return Response.json(await fill(env, await request.json()));
    case "/part/owner":
      return Response.json(await ownerOf(env, q));
    case "/part/rank":
      return Response.json(await rank(env, owner, q));
    case "/part/plain":
      return Response.json(
        await plain(env, owner, { match: q, limit: Number(searchParams.get("limit") ?? 20) }),
      );
    case "/part/select-one":
      return Response.json(await selectOne(env));
    case "/part/analyse":
      return Response.json(analyseTimes(await request.text(), Number(searchParams.get("times"))));
    case "/part/index-bytes":
      return Response.json(await indexBytes(env));
    default:
      return undefined;
  }
}
