import { expect, test } from "vitest";
import { attachToMemoryRoute } from "../../../src/features/files/link-routes.ts";
import { listFilesRoute } from "../../../src/features/files/routes.ts";
import { accountZip, importZip } from "../../kit/account-zip.ts";
import { person } from "../../kit/client.ts";
import { at } from "../../kit/records.ts";
import { remember, write } from "../../kit/search.ts";
import { bytesOf, png, upload, webp } from "../../kit/stored-files.ts";

// A zip of everything, with few and short files. Long ones, names that are difficult, and damaged zips are in
// account-zip.test.ts, which takes longer.

const RECEIPT = bytesOf("%PDF-1.4 receipt");

test("a zip brings files back byte for byte, each where it was, with its smaller pictures", async () => {
  const [ada, bob] = [await person(), await person()];
  const house = await upload(ada, png("the house"), { name: "house.png" });
  const receipt = await upload(ada, RECEIPT, { name: "receipt.pdf" });
  await ada.fetch(`/api/files/${house.id}/thumbnails/320`, {
    ...{ method: "PUT", body: webp("small"), headers: { "Content-Type": "image/webp" } },
  });
  await write(ada, "Lease", `![The house](file:${house.id})`);
  const record = await remember(ada, "Rent");
  await ada.ok(attachToMemoryRoute, { params: { file_id: receipt.id, ...at(record) } });

  const { done, refused } = await importZip(bob, await accountZip(ada));
  expect([refused, done.not_stored.items]).toEqual([[], []]);
  const { items } = await bob.ok(listFilesRoute);
  const byName = Object.fromEntries(items.map((file) => [file.name, file]));
  const bytesAt = async (path: string) => new Uint8Array(await (await bob.fetch(path)).arrayBuffer());
  const [mine, paper] = [byName["house.png"], byName["receipt.pdf"]];
  expect(mine).toMatchObject({ document_ids: [expect.any(String)], memory_ids: [], thumbnails: [320] });
  expect(paper).toMatchObject({ document_ids: [], memory_ids: [record.id] });
  expect(await bytesAt(`/api/files/${mine?.id}`)).toEqual(png("the house"));
  expect(await bytesAt(`/api/files/${mine?.id}/thumbnails/320`)).toEqual(webp("small"));
  expect(await bytesAt(`/api/files/${paper?.id}`)).toEqual(RECEIPT);
});
