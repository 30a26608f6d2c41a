import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { DocumentVersion, DocumentVersionList } from "../../src/contract/document.ts";
import type { Document } from "../src/api/documents.ts";
import { ConflictView } from "../src/features/document/conflict.tsx";
import { DocumentEditor } from "../src/features/document/document-editor.ts";
import { show } from "./kit/show.tsx";
import { ADA, answer, asked, connect, listedDocument } from "./kit/wire.ts";

// What is said of two versions. What becomes of their passages is in test/e2e/web-document.test.ts.

connect();

const ID = "5a1c7d8e-3c52-4f0c-9f0e-3f0f6c0f2a11";
const PATH = `/api/documents/${ID}/versions`;
const CHANGED_AT = "2026-11-02T09:00:00.000Z";
const MOVED_AT = "2026-11-03T09:00:00.000Z";

const version = (number: number, created_at: string) => ({
  ...{ document_id: ID, title: "Plan", tags: [], folder_id: null, version: number },
  ...{ source_type: "mcp", client_name: "Claude", created_at, next_has_same_text: number === 2 },
});

test("the version that changed a passage is named once it is known, and not the newest one before", async () => {
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  answer({
    [`GET ${PATH}/3`]: () => ({ schema: DocumentVersion, body: { ...version(3, MOVED_AT), content: {} } }),
    [`GET ${PATH}`]: async () => {
      await isTime;
      return { schema: DocumentVersionList, body: { items: [version(2, CHANGED_AT)], total: 1 } };
    },
  });
  const theirs: Document = {
    ...listedDocument(ID, { title: "Plan", version: 3, changed_at: CHANGED_AT, updated_at: MOVED_AT }),
    content: {},
  };
  const start = { base: theirs, kind: "markdown", title: "Plan", text: "Mine" } as const;
  const editor = new DocumentEditor({ owner: ADA.id, id: ID, writer: "w" }, start);
  const side = (text: string) => ({ title: "Plan", text });
  show(
    <ConflictView
      kind="markdown"
      overlapping={{
        ...{ theirs, mine: side("Mine"), other: side("Theirs"), before: side("Before"), both: "" },
      }}
      editor={editor}
      state={{ ...editor.getSnapshot(), base: undefined }}
      onDone={() => undefined}
      onBack={() => undefined}
    />,
  );
  await waitFor(() => expect(asked(PATH)).toHaveLength(1));
  expect(screen.queryByText(/^Theirs, version/)).toBeNull();
  goOn();
  await screen.findByText("Theirs, version 2");
});
