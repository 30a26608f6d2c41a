import { expect, test } from "vitest";
import type { ApiClient, ApiRequest } from "../../../src/shared/import/client.ts";
import { uploadFile } from "../../../src/shared/import/upload.ts";

test("a file as a browser picks it is uploaded with its bytes", async () => {
  const sent: ApiRequest[] = [];
  const send = async (request: ApiRequest) => {
    sent.push(request);
    return { id: "1", sha256: "2", bytes: 3 };
  };
  const existing = { ids: new Map(), sizes: new Set<number>(), thumbnails: new Map() };
  const file = { name: "a.png", bytes: new File(["abc"], "a.png") };
  expect(await uploadFile({ send } as ApiClient, file, existing)).toBe("1");
  expect(sent.map(({ raw }) => new TextDecoder().decode(raw as Uint8Array))).toEqual(["abc"]);
});
