import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SCREENS } from "../../src/contract/paths.ts";
import { headingFromHash, isOwnPicture, resolveLink } from "../../web/src/features/document/links.ts";
import { runs } from "../kit/time-limits.ts";

// Where links in Markdown may lead. Its author may be a stranger whose page an assistant has read.

const ORIGIN = "http://localhost:8000";

/** Parts of hostile addresses. */
const piece = fc.constantFrom(
  ..."/ // \\ # ? % %ff %2f %5c .. : @ evil.example documents api icons alert(1)".split(" "),
  ..."http: https: javascript: JaVaScRiPt: data:text/html, blob: vbscript: file:".split(" "),
  ..."localhost:8000 localhost:3000".split(" "),
  ...["\t", "\n", " ", "\u0000", "\u202e"],
);
const address = fc
  .array(fc.oneof({ weight: 9, arbitrary: piece }, fc.oneof(fc.string(), fc.webUrl())), { maxLength: 8 })
  .map((pieces) => pieces.join(""));

describe("an address in a text", () => {
  test("leads where it says, and runs nothing, whatever it is made of", () => {
    fc.assert(
      fc.property(address, (href) => {
        const { kind, href: shown } = resolveLink(href, ORIGIN);
        if (kind === "refused" || kind === "anchor") return;
        const meant = new URL(href, ORIGIN);
        const reached = new URL(shown, ORIGIN);
        expect(["http:", "https:", "mailto:"]).toContain(reached.protocol);
        const parts = ({ origin, pathname, search, hash }: URL) => [origin, pathname, search, hash];
        expect(parts(reached)).toEqual(parts(meant));
        expect(kind === "elsewhere").toBe(reached.origin !== ORIGIN);
      }),
      {
        numRuns: runs(5000),
        examples: [[`${ORIGIN}//evil.example/x`], ["/\\evil.example"], ["//evil.example"]],
      },
    );
  });

  test("is told apart by where it leads", () => {
    for (const [kind, ...all] of [
      ["screen", "/documents/1", "/?x", `${ORIGIN}/records`],
      ["here", "/api/documents", "/documentsx", "/calendars", "/calendar/feed"],
      ["elsewhere", "//evil.test", "https://evil.test", "mailto:a@b.c"],
      ["anchor", "#a"],
      ["refused", "other.md", "javascript:alert(1)", "data:text/html,x", ""],
    ])
      for (const href of all) expect(resolveLink(href, ORIGIN).kind, href).toBe(kind);
  });

  test("of any screen opens within the app", () => {
    for (const path of [
      ...Object.values(SCREENS).map(({ path }) => path),
      "/calendar?month=2026-12",
      "/projects/a/b#c",
    ]) {
      expect(resolveLink(path, ORIGIN), path).toEqual({ kind: "screen", href: path });
    }
  });

  test("of a picture asks the service for nothing but files", () => {
    fc.assert(
      fc.property(address, (src) => {
        const found = resolveLink(src, ORIGIN);
        if (isOwnPicture(found)) expect(new URL(found.href).pathname).toMatch(/^\/(icons|app)\//);
      }),
      { numRuns: runs(2000) },
    );
    const asked = ["/api/export", "/authorize?client_id=https://evil.example", "/documents/1", "/sign-in"];
    for (const src of [...asked, `${ORIGIN}/api/documents`, "//evil.example/icons/x.png"]) {
      expect(isOwnPicture(resolveLink(src, ORIGIN)), src).toBe(false);
    }
    expect(isOwnPicture(resolveLink("/icons/icon.svg", ORIGIN))).toBe(true);
  });

  test("of a heading may have any characters", () => {
    fc.assert(fc.property(address, (text) => void headingFromHash(`#${text}`)));
    expect(headingFromHash("#%ff")).toBe("%ff");
    expect(headingFromHash("#a%20b")).toBe("a b");
  });
});
