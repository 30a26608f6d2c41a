import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

const session = () => env.DB.withSession("first-primary");
const lengthOf = (text: string) => session().prepare("SELECT length(?) AS n").bind(text);

test("a value of 2,000,000 bytes is stored, and a longer one is refused as D1 does", async () => {
  const [answer] = await session().batch([lengthOf("x".repeat(2_000_000))]);
  expect(answer?.results).toEqual([{ n: 2_000_000 }]);
  for (const text of ["x".repeat(2_000_001), "字".repeat(700_000)])
    await expect(session().batch([lengthOf(text)])).rejects.toThrow("string or blob too big: SQLITE_TOOBIG");
});

test("more than 100 parameters, a statement of more than 100 KB and an answer of more than 20 MB are refused", async () => {
  const places = Array.from({ length: 101 }, (_, place) => place);
  const many = session().prepare(`SELECT ${places.map(() => "?").join(" + ")} AS n`);
  await expect(session().batch([many.bind(...places)])).rejects.toThrow("parameters: 101");
  const long = session().prepare(`SELECT '${"x".repeat(100_000)}' AS x`);
  await expect(session().batch([long])).rejects.toThrow("bytes of a statement");
  const large = session().prepare(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 21) SELECT hex(zeroblob(500000)) AS x FROM n",
  );
  await expect(session().batch([large])).rejects.toThrow("bytes of an answer");
});
