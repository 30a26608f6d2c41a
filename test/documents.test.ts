import { expect, test } from "vitest";
import * as documents from "../src/documents/routes.ts";
import { person } from "./kit/client.ts";

test("a document is created, read, changed and deleted", async () => {
  const ada = await person();
  const created = await ada.call(documents.createDocumentRoute, {
    json: {
      title: "Packing list",
      content: { format: "markdown", text: "# Things\n\npassport" },
      tags: ["travel"],
    },
  });
  expect(created.status).toBe(201);
  expect(created.headers.get("Location")).toBe(`/api/documents/${created.body.id}`);
  expect(created.body).toMatchObject({
    title: "Packing list",
    tags: ["travel"],
    folder_id: null,
    version: 1,
  });

  const params = { document_id: created.body.id };
  const read = await ada.call(documents.getDocumentRoute, { params });
  expect(read.body).toEqual(created.body);
  expect(read.headers.get("ETag")).toBe('"v1"');

  const changed = await ada.ok(documents.updateDocumentRoute, { params, json: { title: "What to pack" } });
  expect(changed).toMatchObject({
    title: "What to pack",
    tags: ["travel"],
    version: 2,
    content: created.body.content,
  });

  expect((await ada.call(documents.deleteDocumentRoute, { params })).status).toBe(204);
  expect((await ada.call(documents.getDocumentRoute, { params })).status).toBe(404);
});
