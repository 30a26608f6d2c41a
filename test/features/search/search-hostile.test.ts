import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Client, person } from "../../kit/client.ts";
import { remember, write } from "../../kit/search.ts";
import { MANY_RUNS_MS } from "../../kit/time-limits.ts";

// Queries that a grammar of the query language, its lookalikes and hostile text generates, sent as they are. FUZZ_RUNS=100
// sends 20,000 of them, new ones in each run; by default the same 300 are sent.

const RUNS = env.FUZZ_RUNS ? Number(env.FUZZ_RUNS) * 200 : 300;

const MOST_QUERY = 500;

/** One of the words of a text. */
const oneOf = (...texts: string[]) => fc.constantFrom(...texts.flatMap((text) => text.split(" ")));

/** Every word with a meaning in FTS5 or SQL, and the names of columns. */
const KEYWORDS =
  "AND OR NOT NEAR NEAR( NEAR(a NEAR(a,1) NEAR(a_b,-1) rowid rank MATCH GLOB LIKE ESCAPE NULL SELECT UNION -- /* */ ; ' '' \" \"\" " +
  "title tags body extra {title} {title:} title: ^ ^a + a+b * ** a* *a :a a: -{title}:a {title}:(a (a a) (((( )))) [ ] { } ? ?1 @a $a %25 \\ ` ~a =a +a .a -a";

const Words = oneOf(
  "meeting budget the of and don't I'd o'clock e-mail foo_bar getUserById v1.2.3 3.14 Straße naïve Übergröße txet",
  "сёла ёжик المدرسة والمدرسة हिन्दी తెలుగు ภาษาไทย 学习 東京タワー ひらがな 학생들이 Ἀθῆναι İstanbul ﬁne ﷺ ½ Ⅷ",
);
const DAYS =
  "2026-05-03 2026-02-30 0000-00-00 9999-99-99 2026-13-01 99999-01-01 2026-5-3 3. 31st 0th May 32nd";
const SPANS =
  "3 May|May 3rd, 2026|May 9999|last May|next February|yesterday|day before yesterday|last week|" +
  "999999999 years ago|12 weeks ago|0 days ago|last Friday|29 February 2025";
const Dates = fc.oneof(
  oneOf(DAYS),
  fc.constantFrom(...SPANS.split("|")),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const Hostile = fc.oneof(
  oneOf(KEYWORDS),
  fc.constantFrom(..."\u0000\u202e\u200f\u200d\ufeff\u0301\u0c4d\uffff\u00ad", "\ud800", "\udfff\ud800"),
  oneOf("👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫 🏳️‍🌈 ‼️ #️⃣ \u{e0001} \u{10ffff}"),
  oneOf(`1e309 -0 NaN ${"9".repeat(60)} 0x7fffffffffffffff ٣٤٥ १२३ 1,2,3 1.2.3.4.5.6.7.8.9.10`),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const Filters = fc
  .tuple(
    oneOf("tag folder source type status project after before due is title page TAG é"),
    fc.oneof(Words, Dates, Hostile, fc.constantFrom('"a b"'), oneOf(' " "open decision active * / a/b')),
  )
  .map(([name, value]) => `${name}:${value}`);
const Pieces = fc.oneof(
  Words,
  Dates,
  Hostile,
  Filters,
  fc.tuple(oneOf('- " -" ( '), Words, oneOf('* " ) "* ')).map((parts) => parts.join("")),
);
const Many = fc.array(Pieces, { minLength: 1, maxLength: 12 });
const Queries = fc.oneof(
  fc.tuple(Many, fc.constantFrom(" ", "", "\t", "\n")).map(([pieces, between]) => pieces.join(between)),
  fc.oneof(Pieces, Hostile).map((piece) => (piece || "a").repeat(MOST_QUERY)),
  fc.oneof(Words, Filters, Hostile).map((piece) => `${piece} `.repeat(MOST_QUERY)),
);

/** UTF-8 as browsers send it, or with the three bytes that half of a surrogate pair would have. */
const encoded = (text: string) =>
  [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (code < 0xd800 || code >= 0xe000) return encodeURIComponent(character);
      const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)];
      return bytes.map((byte) => `%${byte.toString(16)}`).join("");
    })
    .join("");

const Others = fc.oneof(
  { weight: 4, arbitrary: oneOf(" &type=all &type=memories &explain=true &highlight=mark&type=all") },
  fc
    .tuple(
      oneOf("type tag folder_id source_type updated_after limit offset explain x"),
      fc.oneof(Words, Dates, Hostile),
    )
    .map(([name, value]) => `&${name}=${encoded(value)}`),
);

async function library(): Promise<Client> {
  const ada = await person({ timezone: "Asia/Kathmandu" });
  for (const text of [
    "Meeting about the budget on 3 May 2026, v1.2.3",
    "学习 東京タワー ภาษาไทย తెలుగు हिन्दी",
    "foo_bar 👍🏽 Straße",
  ]) {
    await write(ada, "note", text, { tags: ["a b"] });
    const facts = { memory_type: "decision", project: "Apollo", due_date: "2026-05-03" };
    await remember(ada, text, { content: text, ...facts });
  }
  return ada;
}

/** Queries that took too long once. */
const SLOW = [
  "2026-01-01".repeat(50),
  "ab cd ".repeat(83),
  `${"a b c d e f g h i j k l m n o p q r s t u v w x y z b d f h j l n p r t v x z ".repeat(6)}`,
].map((text): [string, string, boolean] => [text, "", false]);

test("no text is a query that the service cannot answer", { timeout: MANY_RUNS_MS }, async () => {
  const ada = await library();
  const property = fc.asyncProperty(Queries, Others, fc.boolean(), async (text, others, completes) => {
    const q = text.slice(0, MOST_QUERY);
    const path = completes ? "/api/search/suggest" : "/api/search";
    const { status } = await ada.fetch(`${path}?q=${encoded(q)}${completes ? "" : others}`);
    const isPlain = others === "" && q !== "" && q.isWellFormed() && !q.includes("\u0000");
    expect(status, q).toBeOneOf(isPlain && !completes ? [200] : [200, 404, 422]);
  });
  await fc.assert(property, { numRuns: RUNS, examples: SLOW });
});
