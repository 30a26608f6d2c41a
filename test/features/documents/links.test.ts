import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { completeLinks } from "../../../src/features/documents/backfill-store.ts";
import * as documents from "../../../src/features/documents/routes.ts";
import * as folders from "../../../src/features/folders/routes.ts";
import { openDatabase } from "../../../src/platform/db/call.ts";
import { openSession } from "../../../src/platform/db/session.ts";
import { type Client, person } from "../../kit/client.ts";
import { ctxOf, numberOf } from "../../kit/ctx.ts";
import { ConfiguredClient, meteredClient, sessionWith } from "../../kit/database.ts";
import { at, bulk, create, prose, read, remove, update } from "../../kit/documents.ts";
import { send } from "../../kit/files.ts";
import { cron } from "../../kit/hooks.ts";
import { type Fields, fileOf, LINES, NOW } from "../../kit/import-lines.ts";
import { stateless, use } from "../../kit/mcp.ts";
import { find } from "../../kit/search.ts";
import { bytesUsed, countedOf, freshOf } from "../../kit/usage.ts";

// Links between documents: where they lead, and what links to a document.

type One = { id: string };
const note = (client: Client, title: string, text = "", more: object = {}) =>
  create(client, { title, content: prose(text), ...more });
const folder = async (client: Client, name: string, parent_id?: string) =>
  (await client.ok(folders.createFolderRoute, { json: { name, ...(parent_id && { parent_id }) } })).id;
const linksOf = (client: Client, one: One, query = {}) =>
  client.ok(documents.listDocumentLinksRoute, { ...at(one), query });
const restore = (client: Client, one: One) => client.ok(documents.restoreDocumentRoute, at(one));
const write = (client: Client, one: One, text: string) => update(client, one, { content: prose(text) });

/** The ids to which a document's links lead, in order. */
const leads = async (client: Client, one: One) =>
  (await linksOf(client, one)).links.map(({ document }) => document?.id ?? null);
/** The id of the only link. */
const leadsTo = async (client: Client, one: One) => (await leads(client, one))[0];

const countOf = async (owner: number, table = "document_links") =>
  env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE owner = ?`).bind(owner).first<number>("n");

test("links lead to documents by title, whatever the case and Unicode form, in the order of the text", async () => {
  const ada = await person();
  const [plan, jose] = [await note(ada, "The plan"), await note(ada, "José Straße")];
  const text = `Ask [[jose\u0301 STRASSE|him]] about [it](the%20Plan.md#why) and [[Nobody]]; \`[[The plan]]\` [[doc:${plan.id}]].`;
  const from = await note(ada, "From", text);
  const { links, backlinks, backlink_count } = await linksOf(ada, from);
  expect(links).toEqual([
    {
      target: "jose\u0301 STRASSE",
      document: { id: jose.id, title: "José Straße", folder_id: null, folder_path: null },
    },
    { target: "the Plan", document: { id: plan.id, title: "The plan", folder_id: null, folder_path: null } },
    { target: "Nobody", document: null },
    {
      target: `doc:${plan.id}`,
      document: { id: plan.id, title: "The plan", folder_id: null, folder_path: null },
    },
  ]);
  expect({ backlinks, backlink_count }).toEqual({ backlinks: [], backlink_count: 0 });
  expect(await linksOf(ada, plan)).toEqual({
    links: [],
    backlinks: [
      {
        ...{ id: from.id, title: "From", folder_id: null, folder_path: null, changed_at: from.changed_at },
        context: `Ask him about it and Nobody; The plan doc:${plan.id}.`,
      },
    ],
    backlink_count: 1,
  });
});

test("a document is read with its links and the first page of its backlinks, as they are now", async () => {
  const ada = await person();
  const target = await note(ada, "Ada");
  const from: One[] = [];
  for (let n = 0; n < 51; n++) from.push(await note(ada, `From ${n}`, "[[Ada]]"));
  const [last] = from.slice(-1) as [One];
  const get = (one: One, more: object = {}, headers = {}) =>
    ada.call(documents.getDocumentRoute, { ...at(one), query: { include: "links", ...more }, headers });
  expect((await read(ada, target)).links).toBeUndefined();
  const { body, headers } = await get(target);
  expect(body.links).toEqual(await linksOf(ada, target));
  expect([body.links?.backlinks.length, body.links?.backlink_count]).toEqual([50, 51]);
  const rest = await linksOf(ada, target, { cursor: body.links?.next_cursor });
  expect(rest.backlinks.map(({ id }) => id)).toEqual([from[0]?.id]);
  // Its version is the same, its backlinks are not.
  const unchanged = { "If-None-Match": headers.get("ETag") ?? "" };
  await write(ada, last, "none");
  expect((await ada.call(documents.getDocumentRoute, { ...at(target), headers: unchanged })).status).toBe(
    304,
  );
  expect((await get(target, {}, unchanged)).body.links?.backlink_count).toBe(50);
  const bob = await person();
  const query = { include: "links", trashed: "true" };
  expect((await bob.call(documents.getDocumentRoute, { ...at(target), query })).status).toBe(404);
  await remove(ada, from[0] as One);
  expect((await get(from[0] as One, { trashed: "true" })).body.links?.links).toHaveLength(1);
  expect((await get(target, { include: "files" })).status).toBe(422);
});

test("links in properties are links after those of the text, alone and in lists, with the name of the property", async () => {
  const ada = await person();
  const [one, two, three] = [await note(ada, "One"), await note(ada, "Two"), await note(ada, "Three")];
  const front_matter = {
    related: "[[One]]",
    people: ["[[Two|T.]]", "see [three](Three.md)", 3, ["[[Four]]"]],
    [`${"long ".repeat(20)}name`]: "[[Five]]",
    nested: { not: "[[Six]]" },
  };
  const content = { ...prose("First [[Three]], then [[one]]"), front_matter };
  const from = await create(ada, { title: "From", content });
  const { links } = await linksOf(ada, from);
  expect(links.map(({ target, document }) => [target, document?.id])).toEqual([
    ["Three", three.id],
    ["one", one.id],
    ["Two", two.id],
    ["Five", undefined],
  ]);
  const context = async (to: One) => (await linksOf(ada, to)).backlinks.map(({ context: words }) => words);
  expect([await context(one), await context(two)]).toEqual([["First Three, then one"], ["people: T."]]);
  await update(ada, from, { content: { ...content, front_matter: { people: ["[[Four]]"] } } });
  expect((await linksOf(ada, from)).links.map(({ target }) => target)).toEqual(["Three", "one", "Four"]);
  await update(ada, from, { content: { ...content, format: "text" } });
  expect(await leads(ada, from)).toEqual([]);
});

test("a long title beyond ASCII is found as it is spelled", async () => {
  const ada = await person();
  const title = `Über ${"die Entstehung der Arten ".repeat(5)}é`;
  const early = await note(ada, "Early", `[[${title}]]`);
  const target = await note(ada, title);
  const from = await note(ada, "From", `[[${title}]]`);
  expect([await leadsTo(ada, early), await leadsTo(ada, from)]).toEqual([target.id, target.id]);
});

test("a link to what does not exist finds it when it is created, renamed, gets an alias, or is restored", async () => {
  const ada = await person();
  const [one, two, three] = [
    await note(ada, "1", "[[Ada]]"),
    await note(ada, "2", "[[Grace]]"),
    await note(ada, "3", "[[Bob]]"),
  ];
  const made = await note(ada, "ADA");
  expect(await leadsTo(ada, one)).toBe(made.id);
  const other = await note(ada, "Other");
  await update(ada, other, { title: "Grace" });
  expect(await leadsTo(ada, two)).toBe(other.id);
  await update(ada, other, { content: { ...prose(""), front_matter: { aliases: ["Robert", "BOB"] } } });
  expect(await leadsTo(ada, three)).toBe(other.id);
  const late = await note(ada, "4", "[[Robert]]");
  expect(await leadsTo(ada, late)).toBe(other.id);
  const gone = await note(ada, "Eve");
  await remove(ada, gone);
  const five = await note(ada, "5", "[[Eve]]");
  expect(await leadsTo(ada, five)).toBe(null);
  await restore(ada, gone);
  expect(await leadsTo(ada, five)).toBe(gone.id);
});

test("a link keeps its document when that is renamed, moved or deleted, until it is erased", async () => {
  const ada = await person();
  const target = await note(ada, "Ada");
  const from = await note(ada, "From", "See [[Ada]].");
  // No title that a link can have, so the text stays as it is.
  await update(ada, target, { title: "Ada | Lovelace" });
  await update(ada, target, { folder_id: await folder(ada, "People") });
  await write(ada, from, "I say: see [[Ada]] and [[Else]].");
  expect((await linksOf(ada, from)).links[0]).toEqual({
    target: "Ada",
    document: {
      ...{ id: target.id, title: "Ada | Lovelace" },
      ...{ folder_id: expect.any(String), folder_path: "People" },
    },
  });
  expect((await linksOf(ada, target)).backlinks[0]?.context).toBe("I say: see Ada and Else.");
  await remove(ada, target);
  expect((await linksOf(ada, from)).links[0]?.document).toMatchObject({
    id: target.id,
    trashed_at: expect.any(String),
  });
  expect((await ada.call(documents.listDocumentLinksRoute, at(target))).status).toBe(404);
  await remove(ada, target, { permanent: "true" });
  expect(await leads(ada, from)).toEqual([null, null]);
  const again = await note(ada, "Ada");
  expect(await leads(ada, from)).toEqual([again.id, null]);
});

test("of several documents of a name, it is the one in the folder that is written, then the one beside the link, then the oldest", async () => {
  const ada = await person();
  const work = await folder(ada, "Work");
  const [a, b] = [await folder(ada, "Alpha", work), await folder(ada, "Béta", work)];
  const [first, inA, inB] = [
    await note(ada, "Notes"),
    await note(ada, "Notes", "", { folder_id: a }),
    await note(ada, "Notes", "", { folder_id: b }),
  ];
  const text =
    "[[Notes]] [[alpha/Notes]] [[Work/BE\u0301TA/notes]] [[Elsewhere/Notes]] [x](../B%C3%A9ta/Notes.md)";
  const from = await note(ada, "From", text, { folder_id: b });
  expect(await leads(ada, from)).toEqual([inB.id, inA.id, inB.id, first.id, inB.id]);
  const slash = await note(ada, "AC/DC");
  expect(await leads(ada, await note(ada, "Music", "[[ac/dc]] [[DC]]"))).toEqual([slash.id, null]);
});

test("the order in which documents come does not matter", async () => {
  const ada = await person();
  const [a, b] = [await folder(ada, "A"), await folder(ada, "B")];
  const from = await note(ada, "From", "[[Notes]] [[A/Notes]] [[Deep/Ada]]", { folder_id: b });
  await note(ada, "Notes");
  const inA = await note(ada, "Notes", "", { folder_id: a });
  const inB = await note(ada, "Notes", "", { folder_id: b });
  const person_ = await note(ada, "Ada");
  expect(await leads(ada, from)).toEqual([inB.id, inA.id, person_.id]);
  // One that was renamed keeps its links, whatever comes to be called so.
  await update(ada, inB, { title: "Old notes" });
  await note(ada, "Notes", "", { folder_id: b });
  expect((await leads(ada, from))[0]).toBe(inB.id);
});

test("a document in the trash gives its links to the next one of its name", async () => {
  const ada = await person();
  const old = await note(ada, "Ada");
  const from = await note(ada, "From", "[[Ada]]");
  await remove(ada, old);
  const next = await note(ada, "Ada");
  expect(await leadsTo(ada, from)).toBe(next.id);
});

test("links follow the text: through edits, several changes at once, a version and the trash", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const [one, two] = [await note(ada, "One"), await note(ada, "Two")];
  const from = await note(ada, "From", "[[One]]");
  await write(ada, from, "[[Two]] [[One]]");
  expect(await leads(ada, from)).toEqual([two.id, one.id]);
  await write(ada, from, "nothing");
  expect(await countOf(owner)).toBe(0);
  await ada.ok(documents.restoreVersionRoute, { params: { document_id: from.id, version: "2" } });
  expect(await leads(ada, from)).toEqual([two.id, one.id]);
  await remove(ada, from);
  expect((await linksOf(ada, one)).backlink_count).toBe(0);
  await restore(ada, from);
  expect((await linksOf(ada, one)).backlink_count).toBe(1);
  const { results } = await bulk(ada, [
    { operation: "create", title: "A", content: prose("[[B]] [[A]]") },
    { operation: "create", title: "B", content: prose("[[A]]") },
  ]);
  const [a, b] = results.map(({ id }) => ({ id: id ?? "" })) as [One, One];
  expect(await leads(ada, a)).toEqual([b.id, a.id]);
  expect((await linksOf(ada, a)).backlinks.map(({ id }) => id)).toEqual([b.id]);
  await remove(ada, from, { permanent: "true" });
  expect((await linksOf(ada, one)).backlink_count).toBe(0);
  expect(await countOf(owner)).toBe(3);
});

test("backlinks come in pages, each once, last changed first", async () => {
  const ada = await person();
  const target = await note(ada, "Ada", "", {
    content: { ...prose(""), front_matter: { aliases: "Countess" } },
  });
  const from: string[] = [];
  for (let n = 0; n < 7; n++) from.unshift((await note(ada, `From ${n}`, "We met [[Countess]]. [[Ada]]")).id);
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await linksOf(ada, target, { limit: "3", ...(cursor && { cursor }) });
    expect(page.backlink_count).toBe(7);
    expect(page.backlinks[0]?.context).toBe("We met Countess.");
    found.push(...page.backlinks.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  expect(found).toEqual(from);
});

test("nothing leads to another account's document", async () => {
  const [ada, bob] = [await person(), await person()];
  const theirs = await note(bob, "Secret");
  const from = await note(ada, "From", `[[doc:${theirs.id}]] [[Secret]]`);
  expect(await leads(ada, from)).toEqual([null, null]);
  await update(bob, theirs, { title: "Secret", content: prose("again") });
  await note(bob, "Secret");
  expect(await leads(ada, from)).toEqual([null, null]);
  expect((await linksOf(bob, theirs)).backlink_count).toBe(0);
});

test("a hostile text has at most a thousand links, and a title that is an id takes none", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const many = await note(ada, "Many", Array.from({ length: 60_000 }, (_, n) => `[[N ${n}]]`).join(" "));
  expect((await linksOf(ada, many)).links).toHaveLength(1000);
  const long = await note(ada, "Long", `[[${"a".repeat(900_000)}]] [x](${"ä".repeat(50)}.md)`);
  expect((await linksOf(ada, long)).links).toHaveLength(1);
  const wide = Array.from({ length: 1000 }, (_, n) => `[[${"ﬃΐ".repeat(150)}${n}]]`).join("\n");
  await write(ada, many, wide);
  expect((await linksOf(ada, many)).links.length).toBeGreaterThan(600);
  await write(ada, many, "none");
  expect(await countOf(owner)).toBe(1);
  const target = await note(ada, "Target");
  const from = await note(ada, "From", `[[doc:${target.id}]]`);
  await remove(ada, target);
  await note(ada, `doc:${target.id}`);
  expect(await leadsTo(ada, from)).toBe(target.id);
});

test("titles with the signs of links, aliases that collide, and hostile texts at once leave texts and links as they were", async () => {
  const ada = await person();
  const target = await note(ada, "Plain");
  const front_matter = { up: "[[Plain]]" };
  const from = await create(ada, {
    title: "From",
    content: { ...prose("[[Plain]] [x](Plain.md)"), front_matter },
  });
  for (const title of ["a]]b", "a|b", "a#b", "[[a]]", " a/b ", '"', "---"]) {
    await update(ada, target, { title });
    expect(await leads(ada, from), title).toEqual([target.id]);
    await update(ada, target, { title: "Plain" });
    expect((await read(ada, from)).content, title).toMatchObject({
      ...prose("[[Plain]] [x](Plain.md)"),
      front_matter,
    });
  }
  const named = (title: string, aliases: string[]) =>
    create(ada, { title, content: { ...prose(title), front_matter: { aliases } } });
  const ring = [await named("A", ["B", "X"]), await named("B", ["C", "X"]), await named("C", ["A", "X"])];
  const all = await note(ada, "All", "[[A]] [[B]] [[C]] [[X]]");
  expect(await leads(ada, all)).toEqual([...ring, ring[0]].map((one) => one?.id));
  const texts = ["[[", "[[a]]", "![[", "[[a|", "[a](", "`[["].map((shape) => shape.repeat(20_000));
  // So many at once may be told to come back later; what is stored is what was typed.
  const written = await Promise.all(
    Array.from({ length: 18 }, async (_, n) => {
      const json = { title: `Hostile ${n}`, content: prose(texts[n % texts.length] ?? "") };
      const { status, body } = await ada.call(documents.createDocumentRoute, { json });
      expect([201, 429]).toContain(status);
      return status === 201 ? [{ id: body.id, text: texts[n % texts.length] }] : [];
    }),
  );
  for (const { id, text } of written.flat())
    expect((await read(ada, { id })).content?.text === text).toBe(true);
  expect(written.flat().length).toBeGreaterThan(5);
});

test("links through deeply nested folders read few of them", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const ids = [...Array(60).keys()].map(() => crypto.randomUUID());
  await env.DB.batch(
    ids.map((id, n) =>
      env.DB.prepare(`INSERT INTO folders (id, owner, name, parent_id, created_at, updated_at, key)
        VALUES (?, ?, 'a', ?, '', '', 'a')`).bind(id, owner, ids[n - 1] ?? null),
    ),
  );
  await bulk(
    ada,
    Array.from({ length: 50 }, () => ({ operation: "create", title: "Plan", content: prose("") })),
  );
  await env.DB.prepare("UPDATE documents SET folder_id = ? WHERE owner = ?").bind(ids.at(-1), owner).run();
  const { client, meter } = meteredClient(ada);
  const up = "a/".repeat(50);
  const from = await note(client, "From", [...Array(100).keys()].map((n) => `[[f${n}/${up}Plan]]`).join(" "));
  expect(meter.rowsRead).toBeLessThan(150_000);
  expect(new Set(await leads(ada, from)).size).toBe(1);
});

/** Says when the migration that brought links was applied. */
const linkedSince = (at: string) =>
  env.DB.prepare("UPDATE d1_migrations SET applied_at = ? WHERE name = '0082_property_links.sql'")
    .bind(at)
    .run();

test("thousands of links wait for one name: a thousand are led there at once, the cron handler does the rest", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const operations = Array.from({ length: 100 }, (_, n) => ({
    ...{ operation: "create", title: `N ${n}` },
    content: prose(Array.from({ length: 12 }, (_, folder) => `[[${folder}/Ada]]`).join(" ")),
  }));
  await bulk(ada, operations);
  const target = await note(ada, "Ada");
  const led = () =>
    env.DB.prepare("SELECT count(*) AS n FROM document_links WHERE to_id = ?").bind(target.id).first("n");
  expect(await led()).toBe(1000);
  await linkedSince("2026-01-01 00:00:00");
  await cron();
  expect(await led()).toBe(1200);
  const due = env.DB.prepare("SELECT links_after FROM users WHERE number = ?").bind(owner);
  expect(await due.first("links_after")).toBe(null);
});

test("documents of an earlier release get their links from the cron handler", async () => {
  const [ada, bob] = [await person(), await person()];
  for (const client of [ada, bob]) {
    const target = await note(client, "Later", "", {
      content: { ...prose(""), front_matter: { aliases: ["Soon"] } },
    });
    const from = await note(client, "A", "[[Soon]] [[Later]]");
    const owner = await numberOf(client);
    await env.DB.batch([
      ...["document_links", "document_aliases"].map((table) =>
        env.DB.prepare(`DELETE FROM ${table} WHERE owner = ?`).bind(owner),
      ),
      env.DB.prepare("UPDATE users SET links_after = '' WHERE number = ?").bind(owner),
    ]);
    expect(await leads(client, from)).toEqual([]);
    await cron();
    expect(await leads(client, from)).toEqual([target.id, target.id]);
  }
});

test("what a Worker of the release before links writes meanwhile is found an hour after the migration", async () => {
  const ada = await person();
  const owner = await numberOf(ada);
  const [one, two] = [await note(ada, "One"), await note(ada, "Two")];
  const from = [
    await note(ada, "A", "[[One]]"),
    await note(ada, "B", "[[One]]"),
    await note(ada, "C", "none"),
  ] as const;
  const kept = await note(ada, "D", "[the first](One.markdown)");
  const after = env.DB.prepare("SELECT links_after FROM users WHERE number = ?").bind(owner);
  await linkedSince(new Date().toISOString().replace("T", " ").slice(0, 19));
  await env.DB.prepare("UPDATE users SET links_after = '' WHERE number = ?").bind(owner).run();
  await cron();
  const texts = ["[[Two]]", "none any more", "[[Two]] [[One]]"];
  for (const [n, { id }] of from.entries())
    await env.DB.prepare("UPDATE documents SET content = ?, version = version + 1 WHERE id = ?")
      .bind(JSON.stringify(prose(texts[n] ?? "")), id)
      .run();
  await cron();
  expect(await Promise.all(from.map((document) => leads(ada, document)))).toEqual([[one.id], [one.id], []]);
  await linkedSince("2026-01-01 00:00:00");
  await cron();
  expect(await Promise.all(from.map((document) => leads(ada, document)))).toEqual([
    [two.id],
    [],
    [two.id, one.id],
  ]);
  expect(await leads(ada, kept)).toEqual([one.id]);
  expect(await after.first("links_after")).toBe(null);
});

test("links in the properties of documents of an earlier release are written when its Worker has ended", async () => {
  const ada = await person();
  const [grace, linus] = [await note(ada, "Grace"), await note(ada, "Linus")];
  const from = await create(ada, {
    title: "From",
    content: { ...prose("[[Grace]]"), front_matter: { related: "[[Linus]]" } },
  });
  const owner = await numberOf(ada);
  const account = env.DB.prepare("SELECT links_after, has_unread_properties FROM users WHERE number = ?");
  await env.DB.batch([
    env.DB.prepare("DELETE FROM document_links WHERE to_id = ?").bind(linus.id),
    env.DB.prepare("UPDATE users SET has_unread_properties = 1 WHERE number = ?").bind(owner),
  ]);
  await linkedSince(new Date().toISOString().replace("T", " ").slice(0, 19));
  await cron();
  expect(await leads(ada, from)).toEqual([grace.id]);
  expect(await account.bind(owner).first()).toEqual({ links_after: null, has_unread_properties: 1 });
  await linkedSince("2026-01-01 00:00:00");
  await cron();
  expect(new Set(await leads(ada, from))).toEqual(new Set([grace.id, linus.id]));
  expect(await account.bind(owner).first()).toEqual({ links_after: null, has_unread_properties: null });
});

test("links and aliases count towards an account's bytes, so that a short text cannot store a lot", async () => {
  const ada = await person();
  const before = await bytesUsed(ada);
  const text = Array.from({ length: 1000 }, (_, n) => `[[${n}]]`).join("");
  const from = await note(ada, "From", text);
  expect((await bytesUsed(ada)) - before).toBe(
    500 + JSON.stringify(prose(text)).length + "From[]".length + 200_000,
  );
  const kept = await bytesUsed(ada);
  await update(ada, from, { content: { ...prose("[[1]] [[2]]"), front_matter: { aliases: ["F", "G"] } } });
  expect(await bytesUsed(ada)).toBeLessThan(kept - 190_000);
  await remove(ada, from);
  await restore(ada, from);
  await remove(ada, from, { permanent: "true" });
  expect(await bytesUsed(ada)).toBe(before);
  const PLAN_LIMITS = JSON.stringify({ free: { bytes: 100_000 } });
  const limited = new ConfiguredClient(ada, { PLAN_LIMITS });
  const json = { title: "Many", content: prose(text) };
  const { status } = await limited.refusal(documents.createDocumentRoute, { json });
  expect(status).toBe(403);
  const few = await note(limited, "Few", "[[1]]");
  expect((await limited.refusal(documents.updateDocumentRoute, { ...at(few), json })).status).toBe(403);
  const { results } = await bulk(limited, [{ operation: "create", ...json }]);
  expect(results[0]?.ok).toBe(false);
});

test("links that come with a restored document ask for room, and those that an import replaces do not", async () => {
  const ada = await person();
  const text = (from: number) => Array.from({ length: 900 }, (_, n) => `[[${from + n}]]`).join("");
  const [id, gone] = [crypto.randomUUID(), crypto.randomUUID()];
  const document = { ...(LINES.document as Fields), id, folder_id: null, trashed_at: null };
  const lineOf = (from: number, more: Fields = {}) =>
    fileOf([{ ...document, content: prose(text(from)), ...more }]);
  const limited = (bytes: number) =>
    new ConfiguredClient(ada, { PLAN_LIMITS: JSON.stringify({ free: { bytes } }) });
  expect((await send(ada, lineOf(0, { id: gone, trashed_at: NOW }))).status).toBe(200);
  const trash = await bytesUsed(ada);
  expect(trash).toBeLessThan(180_000);
  const restored = (client: Client) => client.call(documents.restoreDocumentRoute, at({ id: gone }));
  expect((await restored(limited(trash + 170_000))).status).toBe(403);
  expect((await restored(limited(trash + 190_000))).status).toBe(200);
  expect(await bytesUsed(ada)).toBe(trash + 180_000);
  await remove(ada, { id: gone });
  expect((await restored(limited(trash + 180_000))).status).toBe(200);

  expect((await send(ada, lineOf(1000))).status).toBe(200);
  const full = await bytesUsed(ada);
  const { result } = await send(limited(full + 50_000), lineOf(2000), "?mode=overwrite");
  expect(result).toMatchObject({ documents: { overwritten: 1 }, not_stored: { total: 0 } });
  expect((await leads(ada, { id })).length).toBe(900);
  const owner = await numberOf(ada);
  expect(await countedOf(owner)).toEqual(await freshOf(owner));
});

test("the cron handler writes some thousands of links in a transaction", async () => {
  const ada = await person();
  const text = Array.from({ length: 900 }, (_, n) => `[[${n}]]`).join(" ");
  const owner = await numberOf(ada);
  for (let n = 0; n < 2; n++)
    await bulk(
      ada,
      Array.from({ length: 5 }, () => ({ operation: "create", title: "N", content: prose(text) })),
    );
  await env.DB.batch([
    env.DB.prepare("DELETE FROM document_links WHERE owner = ?").bind(owner),
    env.DB.prepare("UPDATE users SET links_after = '' WHERE number = ?").bind(owner),
  ]);
  const session = openSession(env.DB);
  const written: number[] = [];
  const counting = sessionWith(session, async (statements) => {
    const results = await session.batch(statements);
    written.push(results.reduce((sum, { meta }) => sum + meta.rows_written, 0));
    return results as never;
  });
  await completeLinks({ ...(await ctxOf(ada)), db: openDatabase(counting) });
  expect(Math.max(...written)).toBeLessThan(10_000);
  expect(await countOf(owner)).toBe(9000);
});

test("two writers at once leave the links of one text", async () => {
  const ada = await person();
  const [one, two] = [await note(ada, "One"), await note(ada, "Two")];
  const from = await note(ada, "From", "x");
  await Promise.all([
    write(ada, from, "[[One]]"),
    write(ada, from, "[[Two]]"),
    note(ada, "Three"),
    write(ada, from, "[[Three]]"),
  ]);
  const text = (await ada.ok(documents.getDocumentRoute, at(from))).content?.text;
  const expected = { "[[One]]": one.id, "[[Two]]": two.id }[String(text)] ?? expect.any(String);
  expect(await leads(ada, from)).toEqual([expected]);
});

test("a search finds the documents that link to one, and those that one links to; assistants see both with a document", async () => {
  const ada = await person();
  const target = await note(ada, "Béla");
  const from = await note(ada, "From", "walrus [[béla]] [[Gone]]");
  await note(ada, "Else", "walrus Béla");
  const found = (q: string) => find(ada, q);
  for (const q of ["links:BÉLA", `links:doc:${target.id} walrus`, "links:gone"])
    expect(await found(q), q).toEqual(["From"]);
  expect(await found('linked:"from"')).toEqual(["Béla"]);
  expect(await found("walrus linked:from")).toEqual([]);
  const { metadata } = await use(stateless(ada), "fetch", { id: `doc:${from.id}` });
  expect(metadata).toMatchObject({
    links: [{ id: `doc:${target.id}`, title: "Béla" }],
    missing_links: ["Gone"],
  });
  const other = await use(stateless(ada), "fetch", { id: "Béla" });
  expect(other.metadata).toMatchObject({ backlinks: [{ id: `doc:${from.id}`, title: "From" }] });
  expect(other.metadata).not.toHaveProperty("backlink_count");
});
