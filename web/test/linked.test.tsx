import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { DocumentLinks } from "../../src/contract/document-links.ts";
import { FolderList } from "../../src/contract/folder.ts";
import { SearchAnswer } from "../../src/contract/search.ts";
import { LinkedFrom } from "../src/features/document/linked/linked-from.tsx";
import { NoteAnchor } from "../src/features/document/linked/note-anchor.tsx";
import { show } from "./kit/show.tsx";
import { ADA, answer, connect } from "./kit/wire.ts";

// Links to and from a document, while the service is slow or refuses. What they lead to is in test/e2e/web-links.test.ts.

connect();

const NO_MORE = "Too many requests. Try again in 7 seconds.";
const refusal = () => ({
  schema: DocumentLinks,
  body: { detail: NO_MORE },
  status: 429,
  headers: { "Retry-After": "7" },
});

const FOLDER = "01936b1e-7c3a-7f10-9a53-000000000001";
const idOf = (n: number) => `01936b1e-7c3a-7f10-9a53-${String(n).padStart(12, "0")}`;
const backlink = (n: number) => ({
  ...{ id: idOf(n), title: `Letter ${n}`, folder_id: FOLDER, folder_path: "In/Out" },
  ...{ context: "To you.", changed_at: ADA.created_at },
});
const folders = () => ({
  schema: FolderList,
  body: {
    total: 1,
    items: [
      {
        id: FOLDER,
        name: "In/Out",
        parent_id: null,
        document_count: 2,
        created_at: ADA.created_at,
        updated_at: ADA.created_at,
      },
    ],
  },
});

test("a link that is not resolved yet says at once that it is being looked up, and then what went wrong", async () => {
  let refuse = () => {};
  const isRefused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  answer({ "GET /api/search": () => isRefused.then(() => ({ ...refusal(), schema: SearchAnswer })) });
  const person = show(
    <NoteAnchor target="Ada" heading={undefined}>
      her
    </NoteAnchor>,
  );
  const link = screen.getByRole("link", { name: "her" });
  await person.click(link);
  screen.getByText("opening…");
  await act(async () => refuse());
  await screen.findByText(new RegExp(NO_MORE));
  expect(screen.queryByText("opening…")).toBeNull();
  expect(location.pathname).toBe("/");
});

test("further documents that link here: a page that fails says so and can be tried again; a folder is one, whatever its name", async () => {
  let isRefusing = true;
  const page = { links: [], backlink_count: 2 };
  answer({
    "GET /api/folders": folders,
    [`GET /api/documents/${idOf(9)}/links`]: ({ query }) => {
      if (!query.has("cursor"))
        return { schema: DocumentLinks, body: { ...page, backlinks: [backlink(1)], next_cursor: "next" } };
      return isRefusing ? refusal() : { schema: DocumentLinks, body: { ...page, backlinks: [backlink(2)] } };
    },
  });
  const person = show(<LinkedFrom id={idOf(9)} />);
  await person.click(await screen.findByRole("button", { name: "Show more" }));
  await screen.findByText(NO_MORE);
  screen.getByText("In/Out");
  isRefusing = false;
  await person.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("Letter 2");
  expect(screen.queryByText(NO_MORE)).toBeNull();
});
