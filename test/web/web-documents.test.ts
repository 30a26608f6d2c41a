import { markdown } from "@codemirror/lang-markdown";
import { EditorSelection, EditorState, type StateCommand } from "@codemirror/state";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstHeading } from "../../src/shared/import/markdown.ts";
import { insertLink, toggleInlineMark, toggleLineMarker } from "../../web/src/features/document/format.ts";
import { readLongText } from "../../web/src/features/document/long-text.ts";
import {
  otherFields,
  propertiesOf,
  withSourceText,
  writingOf,
} from "../../web/src/features/document/writing.ts";
import * as place from "../../web/src/features/documents/view.ts";

test("headings begin at the second level, leave none out, and have an id each", () => {
  const levels = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom("Plan", "Plan 1", "Plan 2", "…")),
  );
  fc.assert(
    fc.property(levels, (written) => {
      const text = written.map(([level, words]) => `${"#".repeat(level)} ${words}`).join("\n\n");
      const { headings } = readLongText(text, "Title");
      expect(headings.length).toBe(written.length);
      headings.forEach(({ level }, at) => {
        expect(level).toBeGreaterThanOrEqual(2);
        expect(level).toBeLessThanOrEqual((headings[at - 1]?.level ?? 1) + 1);
      });
      expect(new Set(headings.map(({ id }) => id)).size).toBe(headings.length);
    }),
  );
});

test("a place and its address are the same thing", () => {
  const places = fc.record({
    view: fc.constantFrom("documents" as const, "trash" as const),
    folder: fc.option(fc.uuid(), { nil: undefined }),
    tags: fc.uniqueArray(fc.string({ minLength: 1 })),
    tasks: fc.option(fc.constantFrom("open" as const, "done" as const, "any" as const), { nil: undefined }),
    sort: fc.constantFrom(...(Object.keys(place.SORT_OPTIONS) as place.Sort[])),
  });
  fc.assert(
    fc.property(places, (there) => {
      expect(place.parseDocumentsView(place.documentsUrl(there).split("?")[1] ?? "")).toEqual(there);
    }),
  );
});

/** The text after a command, with the selection between the marks. */
function after(command: StateCommand, marked: string): string {
  const [before = "", selected = "", behind = ""] = marked.split(/[‹›]/);
  let state = EditorState.create({
    doc: before + selected + behind,
    selection: EditorSelection.range(before.length, before.length + selected.length),
    extensions: markdown(),
  });
  command({
    state,
    dispatch: (transaction) => {
      state = transaction.state;
    },
  });
  const { from, to } = state.selection.main;
  return `${state.sliceDoc(0, from)}‹${state.sliceDoc(from, to)}›${state.sliceDoc(to)}`;
}

test("the toolbar formats what is selected, and takes it back", () => {
  expect(after(toggleInlineMark("**"), "a ‹b› c")).toBe("a **‹b›** c");
  expect(after(toggleInlineMark("**"), "a **‹b›** c")).toBe("a ‹b› c");
  expect(after(toggleInlineMark("**"), "‹›")).toBe("**‹›**");
  expect(after(toggleLineMarker("- "), "o‹ne\ntwo›")).toBe("- o‹ne\n- two›");
  expect(after(toggleLineMarker("- "), "- o‹ne\n- two›")).toBe("o‹ne\ntwo›");
  expect(after(toggleLineMarker("- [ ] "), "- o‹n›e")).toBe("- [ ] o‹n›e");
  expect(after(toggleLineMarker("## "), "- [x] o‹n›e")).toBe("## o‹n›e");
  expect(after(insertLink, "see ‹this› page")).toBe("see [this](‹https://›) page");
});

describe("an imported note", () => {
  const mark = { source: 1, origin: 2, name: 3, content: 4, rest: 5, version: 1 };
  const note = { format: "markdown", text: "# A", front_matter: { author: "Ada" }, imported: mark };

  test("has its front matter as properties, and nothing that the import noted for itself", () => {
    expect(propertiesOf(note)).toEqual({ author: "Ada" });
    expect(otherFields(note)).toEqual({});
    expect(otherFields({ ...note, imported: { source: 1, origin: 2, checksum: 3 }, more: 1 })).toEqual({
      more: 1,
    });
    expect(withSourceText(note, { kind: "markdown", text: "# B" })).toEqual({ ...note, text: "# B" });
  });

  test("that is JSON is written without the mark, and keeps it", () => {
    const data = { name: "Ada", imported: mark };
    const writing = writingOf(data);
    expect(JSON.parse(writing.text)).toEqual({ name: "Ada" });
    expect(withSourceText(data, { ...writing, text: '{"name":"Bob"}' })).toEqual({
      name: "Bob",
      imported: mark,
    });
  });

  test("keeps what only looks like a mark", () => {
    for (const imported of ["2020", { origin: "Rome" }, null, { from: 3 }])
      expect(otherFields({ text: "", imported })).toEqual({ imported });
    expect(otherFields({ text: "", front_matter: "x" })).toEqual({ front_matter: "x" });
    expect(otherFields({ text: "", front_matter_source: "---\na: 1\n---\n", n: 1 })).toEqual({ n: 1 });
  });
});

test.for([
  ["# gopd <sup>[![Version Badge][npm-version-svg]][package-url]</sup>", "gopd"],
  ["# **Plan** for `x` &amp; [y](https://example.com)", "Plan for x & y"],
  ["# ![Logo](logo.png)", "Logo"],
  ["# a [link][1] and [another] one", "a link and [another] one"],
  ["# `Vec<T>` and <b>more</b>", "Vec<T> and more"],
])("the title of a note is text: %s", ([source = "", title]) => {
  expect(firstHeading(source)).toBe(title);
});
