import { act, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { DocumentLinks } from "../../src/contract/document-links.ts";
import { FolderList } from "../../src/contract/folder.ts";
import { SearchAnswer } from "../../src/contract/search.ts";
import { DocumentEditor } from "../src/features/document/document-editor.ts";
import { LinkedFrom } from "../src/features/document/linked/linked-from.tsx";
import { NoteAnchor } from "../src/features/document/linked/note-anchor.tsx";
import { PropertyRows } from "../src/features/document/properties/rows.tsx";
import type { EditStart } from "../src/features/document/start.ts";
import { useEditorLinks } from "../src/features/document/use-editor-links.ts";
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

const NEW: EditStart = { base: undefined, title: "", text: "", kind: "markdown" };

/** A new document whose links are followed, and which can be closed. */
function NewDocument() {
  const [start] = useState(NEW);
  const [editor] = useState(
    () => new DocumentEditor({ owner: ADA.id, id: "new", writer: "w" }, start, () => {}),
  );
  const { links, opening } = useEditorLinks(editor, start, undefined);
  return (
    <>
      {opening && <p>Opening {opening}</p>}
      {["Ada", "Grace"].map((target) => (
        <button key={target} type="button" onClick={() => links.onFollow({ target })}>
          {target}
        </button>
      ))}
    </>
  );
}

/** Search answers when it is told to, with nothing found, so that a link leads to a new document. */
function slowSearch(): (target: string) => Promise<void> {
  const waiting = new Map<string, () => void>();
  answer({
    "GET /api/folders": folders,
    "GET /api/search": async ({ query }) => {
      await new Promise<void>((resolve) => waiting.set(query.get("q") ?? "", resolve));
      return { schema: SearchAnswer, body: { results: [], total: 0, query: "" } };
    },
  });
  return async (target) => {
    const query = `title:"${target}"`;
    await waitFor(() => expect([...waiting.keys()]).toContain(query));
    await act(async () => waiting.get(query)?.());
  };
}

const place = () => location.pathname + location.search;

test("a link of a new document is followed although the document gets its address meanwhile", async () => {
  const answerSearch = slowSearch();
  const person = show(<NewDocument />);
  await person.click(screen.getByRole("button", { name: "Ada" }));
  screen.getByText("Opening Ada");
  history.replaceState(null, "", `/documents/${idOf(1)}?edit`);
  await answerSearch("Ada");
  await waitFor(() => expect(place()).toBe("/documents/new?title=Ada"));
});

test("of two links that are looked up, the last one leads away, and none from a closed editor", async () => {
  const answerSearch = slowSearch();
  const person = show(<NewDocument />);
  history.replaceState(null, "", "/documents/new");
  await person.click(screen.getByRole("button", { name: "Ada" }));
  await person.click(screen.getByRole("button", { name: "Grace" }));
  await answerSearch("Ada");
  screen.getByText("Opening Grace");
  expect(place()).toBe("/documents/new");
  await answerSearch("Grace");
  await waitFor(() => expect(place()).toBe("/documents/new?title=Grace"));
});

test("a look-up that fails after another link was followed says nothing", async () => {
  const isRefused = Promise.withResolvers<void>();
  answer({
    "GET /api/folders": folders,
    "GET /api/search": async ({ query }) => {
      if (query.get("q") === 'title:"Grace"')
        return { schema: SearchAnswer, body: { results: [], total: 0, query: "" } };
      await isRefused.promise;
      return { ...refusal(), schema: SearchAnswer };
    },
  });
  const person = show(<NewDocument />);
  history.replaceState(null, "", "/documents/new");
  await person.click(screen.getByRole("button", { name: "Ada" }));
  await person.click(screen.getByRole("button", { name: "Grace" }));
  await waitFor(() => expect(place()).toBe("/documents/new?title=Grace"));
  await act(async () => isRefused.resolve());
  await expect(screen.findByText(new RegExp(NO_MORE), {}, { timeout: 300 })).rejects.toThrow();
});

function Rows() {
  const [value, setValue] = useState<unknown>("Ada");
  return (
    <PropertyRows
      fields={{ by: value }}
      location="beside"
      isAdding={false}
      setAdding={() => {}}
      onChange={(change) => change.kind === "set" && setValue(change.value)}
    />
  );
}

test("a property keeps the focus when it gets its first link, and when it loses its last", async () => {
  const person = show(<Rows />);
  for (const typed of ["[[Ada]] (see notes)", "Grace"]) {
    await person.click(screen.getByRole("button", { name: /^by:/ }));
    await person.clear(screen.getByRole("textbox", { name: "by" }));
    await person.paste(typed);
    await person.keyboard("{Enter}");
    const button = screen.getByRole("button", { name: `by: ${typed}` });
    expect(document.activeElement).toBe(button);
    expect(screen.queryAllByRole("link").length).toBe(typed === "Grace" ? 0 : 1);
  }
});
