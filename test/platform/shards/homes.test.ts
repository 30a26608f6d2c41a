import { describe, expect, test } from "vitest";
import { globalAccountId, shardInSecret, shardPrefix } from "../../../src/contract/shard.ts";
import { parseShards } from "../../../src/contract/shards.ts";
import { newSecretForShard } from "../../../src/platform/core/secret.ts";
import { formatBookmark, parseBookmark } from "../../../src/platform/shards/router.ts";

describe("HOMES", () => {
  test("names each database with its region and whether it takes new users", () => {
    expect(parseShards("")).toEqual([{ number: 1, binding: "DB", region: undefined, isOpen: true }]);
    expect(parseShards("DB=weur:open, DB_2=enam:closed,DB_12=eu:open")).toEqual([
      { number: 1, binding: "DB", region: "weur", isOpen: true },
      { number: 2, binding: "DB_2", region: "enam", isOpen: false },
      { number: 12, binding: "DB_12", region: "eu", isOpen: true },
    ]);
  });

  test.for([
    "DB",
    "DB=weur",
    "DB=weur:opened",
    "DB=moon:open",
    "DB_2=weur:open",
    "DB=weur:open, DB=weur:open",
    "DB=weur:open, DB_2=weur:open, DB_2=weur:open",
    "DB=weur:open, DB_1=weur:open",
    "DB=weur:open, DB_02=weur:open",
    "DB=weur:open,",
    "DB=weur:open; DB_2=weur:open",
    "db=weur:open",
  ])("is refused as %j", (setting) => {
    expect(() => parseShards(setting)).toThrow("HOMES must list databases");
  });
});

test("a secret names its home, and an older one belongs to the first", () => {
  const secret = newSecretForShard(12);
  expect(secret).toMatch(/^12\.[\w-]{43}$/);
  expect([shardInSecret(secret), shardPrefix(secret)]).toEqual([12, "12."]);
  for (const older of ["Zk3vQ0bT7zRwXc2mJ8sYd1LhNf5PaEgK6tUoVi9xA4", "0.x", "12", "12345.x", ""])
    expect([shardInSecret(older), shardPrefix(older)]).toEqual([1, ""]);
});

test("accounts with the same number in different homes have different names", () => {
  const numbers = [1, 2, 11, 12, 21, 112, 1_000_000];
  const all = [1, 2, 11, 12, 9999].flatMap((home) =>
    numbers.map((owner) => globalAccountId({ shard: home, owner })),
  );
  expect(new Set(all).size).toBe(all.length);
  // Objects that exist already keep their names.
  expect(globalAccountId({ shard: 1, owner: 12 })).toBe("12");
});

test("a bookmark carries its home in front; one without is the first home's", () => {
  const bookmark = "00000000-0000001b-00000000-00000000000000000000000000000000";
  expect(parseBookmark(bookmark)).toEqual({ home: 1, bookmark });
  expect(parseBookmark(formatBookmark({ home: 12, bookmark }))).toEqual({ home: 12, bookmark });
  for (const malformed of [
    undefined,
    "",
    `0:${bookmark}`,
    `x:${bookmark}`,
    `2:${bookmark}x`,
    `2:2:${bookmark}`,
  ])
    expect(parseBookmark(malformed)).toBeUndefined();
});
