import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { LinksContext } from "../src/features/document/linked/linked-documents.ts";
import Prose from "../src/features/document/prose.tsx";
import { cacheFiles } from "../src/features/files/file-queries.ts";
import { show } from "./kit/show.tsx";

// A click in a rendered text opens the editor at the clicked place.

const LONG = "Words of a long text that is divided.\n\n".repeat(400);
const DEEP = `${">".repeat(60)} dee^p`;

const FILE = "01999999-0000-7000-8000-000000000001";

/** Sources with the clicked place (`^`), within a word that occurs once. */
const CASES: Record<string, string> = {
  "a paragraph": "Some wo^rds",
  "a callout's title": "> [!warning] Mind the ga^p\n> Body",
  "behind a comment in a callout's title": "> [!tip] %%not seen%% Mi^nd",
  "a callout's body": "> [!warning] Mind the gap\n> Bo^dy",
  "a second line of a callout's body": "> [!warning] Mind the gap\n> Body\n> mo^re",
  "a folded callout's body": "> [!tip]+ Title\n> Bo^dy",
  "behind a link that shows the title alone": "See [[Folder/Ada]] an^d more",
  "behind a link that shows the current title": "See [[Babbage]] an^d more",
  "behind a link to a heading of a folder's document": "See [[Folder/Ada#Life]] an^d more",
  "behind a link with words of its own": "See [[Folder/Ada|her]] an^d more",
  "in a cell behind a link": "| a | b |\n|---|---|\n| x | [[Folder/Ada]] an^d |",
  "behind a picture of another site": "A ![beautiful view](https://a.example/b.png) behi^nd",
  "behind a file of another device": `See [the plan](file:waiting-${"a".repeat(32)}) behi^nd`,
  "in HTML that is a block": "<div>\nso^me\n</div>",
  "behind HTML within a line": "Press <kbd>Ctrl</kbd> no^w",
  "behind a picture of another device": `See ![the plan](file:waiting-${"a".repeat(32)}) behi^nd`,
  "behind a file that is no picture": `See ![the plan](file:${FILE}) behi^nd`,
  "behind a footnote's number": "A note[^1] and[^1] behi^nd it\n\n[^1]: It says",
  "in a footnote": "A note[^1] and\n\n[^1]: It sa^ys",
  "behind a comment": "A note %%not seen%% behi^nd",
  "a line of code": "Some\n\n```\nconst a\n  con^st2\n```",
  "an item of a far list": `${LONG}- one\n- tw^o`,
  "an item of a far nested list": `${LONG}1. one\n   - inne^r\n`,
  "a far quotation": `${LONG}> A quotation\n> of tw^o`,
  "behind a comment in a far block": `%%not seen%%\n${LONG}It %%x%% en^ds`,
  "behind a link in a far block": `${LONG}See [[Folder/Ada]] and [there][ref] behi^nd\n\n[ref]: https://a.example`,
  "a footnote of a long text": `A note[^1] and\n\n${LONG}[^1]: It sa^ys`,
  "behind a footnote's number in a far block": `${LONG}A note[^1] behi^nd\n\n[^1]: It says`,
  "what is nested too deeply": DEEP,
};

function textNodeWith(word: string): Text | undefined {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (new RegExp(`(?<![\\p{L}\\d])${word}(?![\\p{L}\\d])`, "u").test(node.textContent ?? ""))
      return node as Text;
  return undefined;
}

afterEach(() => void Reflect.deleteProperty(document, "caretPositionFromPoint"));

test.each(Object.entries(CASES))("%s", async (_, source) => {
  const place = source.indexOf("^", source.search(/[a-z]\^[a-z]/));
  const text = source.slice(0, place) + source.slice(place + 1);
  const start = source.slice(0, place).search(/[\p{L}\d]+$/u);
  const [word = ""] = /^[\p{L}\d]+/u.exec(text.slice(start)) ?? [];
  cacheFiles([{ id: FILE, name: "plan.pdf", kind: "pdf", type: "application/pdf", size: 9 } as never]);
  const onPlace = vi.fn<(place: number) => void>();
  const resolve = (target: string) =>
    target === "Babbage" ? { id: "1", title: "Charles Babbage", folder_path: null } : null;
  show(
    <LinksContext value={{ resolve: (target) => resolve(target) as never }}>
      <Prose text={text} title="Title" onPlace={onPlace} />
    </LinksContext>,
  );
  if (text.length > 10_000) await act(async () => void dispatchEvent(new Event("beforeprint")));
  const node = textNodeWith(word);
  expect(node).toBeDefined();
  const offset = (node?.data.search(new RegExp(`(?<![\\p{L}\\d])${word}`, "u")) ?? 0) + place - start;
  Object.assign(document, { caretPositionFromPoint: () => ({ offsetNode: node, offset }) });
  fireEvent.click(node?.parentElement ?? screen.getByRole("main"));
  expect(onPlace.mock.calls).toEqual([[place]]);
});
