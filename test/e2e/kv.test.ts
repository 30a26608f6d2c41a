import { expect, onTestFinished, test } from "vitest";
import { signInToCloudflare } from "../../scripts/common/cloudflare.ts";
import { type KvEntry, type KvNamespace, localNamespace, remoteNamespace } from "../../scripts/common/kv.ts";
import { startCloudflareApi } from "./cloudflare-api.ts";
import { folder } from "./instances.ts";

// The entries of the OAuth server, in wrangler's own files and behind Cloudflare's API.

const soon = Math.floor(Date.now() / 1000) + 3600;
const ENTRIES: KvEntry[] = [
  { key: "client:a", value: '{"name": "Ä 🦭"}' },
  { key: "grant:1:a", value: "{}", expiration: soon, metadata: { client_name: "One", list: [1, null] } },
  { key: "grant:1:b", value: "{}", metadata: { client_name: "Two" } },
  { key: "token:1:a:x", value: "{}", expiration: soon + 1 },
  { key: "token:1:a:y", value: "x".repeat(10_000), expiration: soon + 2 },
];
const OVER: KvEntry = { key: "token:1:a:z", value: "{}", expiration: 1000 };

async function namespaceOf(where: string): Promise<KvNamespace> {
  if (where === "local") return localNamespace(await folder());
  const { environment, close } = await startCloudflareApi([]);
  onTestFinished(close);
  return remoteNamespace(await signInToCloudflare(environment));
}

test.for(["local", "remote"])(
  "%s entries are restored unchanged, and existing ones are kept",
  async (where) => {
    const namespace = await namespaceOf(where);
    expect(await namespace.read()).toEqual([]);
    await namespace.add([...ENTRIES, OVER]);
    expect(await namespace.read()).toEqual(ENTRIES);
    const changed = ENTRIES.map((entry) => ({ ...entry, value: "changed" }));
    await namespace.add([...changed, { key: "client:b", value: "new" }, { key: "purge-cursor", value: "5" }]);
    const [first, ...others] = ENTRIES;
    expect(await namespace.read()).toEqual([first, { key: "client:b", value: "new" }, ...others]);
  },
);

test.for(["local", "remote"])("%s entries that are about to expire do not keep others out", async (where) => {
  const namespace = await namespaceOf(where);
  const now = Math.floor(Date.now() / 1000);
  const expiring = Array.from({ length: 120 }, (_, n) => ({
    ...{ key: `client:${n}`, value: "{}", expiration: now + 30 + n },
  }));
  const others = Array.from({ length: 120 }, (_, n) => ({ key: `token:1:a:${n}`, value: String(n) }));
  await namespace.add([...expiring, ...others]);
  const kept = await namespace.read();
  expect(kept.filter(({ key }) => key.startsWith("token:"))).toEqual(
    others.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  );
  expect(kept.filter(({ expiration = Number.POSITIVE_INFINITY }) => expiration < now + 120)).toEqual([]);
});
