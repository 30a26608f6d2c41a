import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { IDLE } from "./app.ts";
import type { Ask } from "./ask.ts";
import { openAs, stageFor } from "./stage.ts";
import { createDocument, textOf, writeAtStart } from "./steps.ts";

// One surface: a text is written where it is clicked, and nothing moves. What can be clicked itself keeps its click.

const TEXT = `A first paragraph with **bold** words and a [link](/records) that is long enough for two lines on a phone.

## What to take

- boots
- [ ] the map

> as told

Last of all \`code\` and more.`;

let page: Page;
let ask: Ask;

const stage = stageFor({}, async (set) => {
  ({ page, ask } = await openAs(set));
});

const editor = () => page.locator("[data-writing] .cm-content");

type Drawn = Record<"middle" | "start" | "end" | "top" | "bottom", number>;

/** Where words are drawn. */
const drawn = (words: string): Promise<Drawn> =>
  page.evaluate<Drawn>(`(() => {
    const inside = [...document.querySelectorAll("[data-writing] *")].find(({ shadowRoot }) => shadowRoot);
    const root = inside?.shadowRoot ?? document.querySelector("article");
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const words = ${JSON.stringify(words)};
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(words);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      const { top, bottom, left, right } = range.getBoundingClientRect();
      if (right > 0) return { middle: (top + bottom) / 2, start: left, end: right - 1, top, bottom };
    }
    throw new Error("not drawn: " + words);
  })()`);

async function read(id: string): Promise<void> {
  await page.goto(`/documents/${id}`);
  await page.getByRole("article").getByText("Last of all").waitFor();
  // Formatted, it has other lines.
  await page.locator("article [class*=unformatted]").first().waitFor({ state: "detached" });
}

const PLACES: [words: string, written: string][] = [
  ["words and", "**bold** words and| a [link]"],
  ["What to", "## What to| take"],
  ["boots", "- boots|"],
  ["the map", "the map|"],
  ["as told", "> as told|"],
  ["code", "`code|` and"],
];

test("a click in a text writes at that place, and what was clicked does not move", async () => {
  for (const [words, written] of PLACES) {
    const id = await createDocument(ask, "Packing", TEXT);
    await read(id);
    const { middle, end, top } = await drawn(words);
    await page.mouse.click(end, middle);
    await editor().waitFor();
    await page.keyboard.type("|");
    await expect.poll(() => textOf(ask, id)).toContain(written);
    expect(Math.abs((await drawn(words.slice(0, 4))).top - top), words).toBeLessThan(2);
    await page.keyboard.press("Escape");
    await page.getByRole("article").waitFor();
  }
});

test("a heading that repeats the title is not shown twice, neither while reading nor while writing", async () => {
  for (const before of ["", "---\nmade: by hand\n---\n\n"]) {
    const id = await createDocument(ask, "Packing", `${before}# Packing\n\n${TEXT}`);
    await read(id);
    expect(await page.getByRole("article").innerText()).not.toContain("Packing");
    const { end, middle, top } = await drawn("What to");
    await page.mouse.click(end, middle);
    await editor().waitFor();
    expect(await editor().innerText()).not.toContain("Packing");
    if (before === "") expect(Math.abs((await drawn("What to")).top - top)).toBeLessThan(2);
    // The cursor finds it, and it can be written in.
    const first = await drawn("A first");
    await page.mouse.click(first.end, first.middle);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => editor().innerText()).toContain("Packing");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("End");
    await page.keyboard.type(" list");
    await expect.poll(() => textOf(ask, id)).toContain("# Packing list\n\nA first paragraph");
    await page.keyboard.press("Escape");
    await page.getByRole("article").getByRole("heading", { name: "Packing list" }).waitFor();
  }
});

test("the editor of a long text with its title as heading opens below it", async () => {
  const id = await createDocument(ask, "Packing", `# Packing\n\n${TEXT}\n\n${"More. ".repeat(200)}`);
  await read(id);
  await page.keyboard.press("e");
  await editor().waitFor();
  await page.keyboard.type("|");
  await expect.poll(() => textOf(ask, id)).toContain("# Packing\n\n|A first");
  expect(await editor().innerText()).not.toContain("Packing");
  await page.getByRole("textbox", { name: "Title" }).fill("Luggage");
  await expect.poll(() => editor().innerText()).toContain("Packing");
});

type Spot = { x: number; y: number };

/** Clicks where no letter is: how far from some words, and where one then writes. */
const SPOTS: [where: string, words: string, spot: (drawn: Drawn) => Spot, written: string][] = [
  ["right of a line", "boots", ({ end, middle }) => ({ x: end + 250, y: middle }), "- boots|"],
  ["left of the text", "as told", ({ start, middle }) => ({ x: start - 30, y: middle }), "> |as told"],
  ["above a heading", "What to", ({ end, top }) => ({ x: end, y: top - 5 }), "## What to| take"],
  ["above an item, on the left", "the map", ({ start, top }) => ({ x: start - 80, y: top + 2 }), "|the map"],
  ["below a paragraph", "as told", ({ end, bottom }) => ({ x: end, y: bottom + 5 }), "> as told|"],
  ["far right below the last line", "and more", ({ end }) => ({ x: end + 200, y: 640 }), "and more.|"],
  ["below the last line", "and more", ({ start }) => ({ x: start, y: 690 }), "and more.|"],
];

test("a click beside all letters writes at the nearest one, and below the text at its end", async () => {
  for (const [where, words, spot, written] of SPOTS) {
    const id = await createDocument(ask, "Packing", TEXT);
    await read(id);
    const { x, y } = spot(await drawn(words));
    await page.mouse.click(x, y);
    await editor().waitFor();
    await page.keyboard.type("|");
    await expect.poll(() => editor().innerText(), { message: where }).toContain(written);
    await page.keyboard.press("Escape");
    await page.getByRole("article").waitFor();
  }
});

test("a click below what stands beside the text writes nowhere", async () => {
  const id = await createDocument(ask, "Packing", TEXT);
  for (const width of [1280, 600]) {
    await page.setViewportSize({ width, height: 1200 });
    await read(id);
    const aside = await page.getByRole("complementary", { name: "About this document" }).boundingBox();
    if (!aside) throw new Error("it is shown");
    await page.mouse.click(aside.x + aside.width / 2, aside.y + aside.height + 10);
    await page.evaluate(IDLE);
    expect(await editor().count()).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("a click beside the text that leaves a field does only that", async () => {
  const id = await createDocument(ask, "Packing", TEXT);
  await read(id);
  const { start } = await drawn("and more");
  await page.getByRole("combobox", { name: "Add a tag" }).click();
  await page.mouse.click(start, 690);
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).not.toBe("INPUT");
  expect(await editor().count()).toBe(0);
  await page.mouse.click(start, 690);
  await editor().waitFor();
});

test("a text with the line ends of Windows, or without format, is written where it is clicked", async () => {
  for (const format of ["markdown", "text"]) {
    const text = "One\r\n\r\nTwo words\r\n\r\nLast of all";
    const { id } = await ask<{ id: string }>("POST", "/api/documents", {
      title: "Windows",
      content: { format, text },
    });
    await read(id);
    const { start, end, middle, bottom } = await drawn("Two");
    await page.mouse.click(format === "text" ? start : end, format === "text" ? bottom + 10 : middle);
    await editor().waitFor();
    await page.keyboard.type("|");
    const expected = format === "text" ? "Two words\n|\nLast" : "Two| words";
    await expect.poll(async () => (await editor().innerText()).replace(/\n\n/g, "\n")).toContain(expected);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("!");
    await expect.poll(() => editor().innerText()).toContain("Last of all!");
    await page.keyboard.press("Escape");
    await page.getByRole("article").waitFor();
  }
});

/** Waits until an editor with these words is prepared, unseen, and remembers its content. */
const prepared = (words: string) =>
  expect
    .poll(() =>
      page.evaluate<string>(`(() => {
        const contents = [...document.querySelectorAll("main *")].flatMap((one) =>
          one.closest("[data-writing]") ? [] : [...(one.shadowRoot?.querySelectorAll(".cm-content") ?? [])]);
        globalThis.waiting = contents[0];
        return globalThis.waiting?.textContent ?? "";
      })()`),
    )
    .toContain(words);

const isPreparedFocused = () =>
  page.evaluate<boolean>("document.activeElement?.shadowRoot?.activeElement === globalThis.waiting");

test("an editor that was prepared while one read has the text and links of now, and nothing to undo", async () => {
  await createDocument(ask, "Boots", "Warm ones");
  const id = await createDocument(ask, "Packing", `${TEXT}\n\nSee [[Boots]] and [[Nowhere]].`);
  await read(id);
  await prepared("words and");
  const clickAndType = async (words: string, typed: string) => {
    const { end, middle } = await drawn(words);
    await page.mouse.click(end, middle);
    await editor().waitFor();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+u");
    await page.keyboard.type(typed);
  };
  await clickAndType("words and", "|");
  expect(await isPreparedFocused()).toBe(true);
  await expect.poll(() => editor().locator(".live-missing").allInnerTexts()).toEqual(["Nowhere"]);
  await expect.poll(() => textOf(ask, id)).toContain("**bold** words and| a [link]");
  await page.keyboard.press("Escape");
  const box = page.getByRole("article").getByRole("checkbox", { name: "the map" });
  await box.waitFor();
  await prepared("words and|");
  // What was prepared is of the text before this.
  await box.click();
  await clickAndType("as told", " before");
  await expect.poll(() => textOf(ask, id)).toContain("- [x] the map\n\n> as told before");
  await page.keyboard.press("Escape");
});

/** Scrolls from the first paragraph on, for a while, and remembers how long nothing had scrolled when an editor was created. */
const SCROLL = `(() => {
  let scrolledAt = 0;
  const scroll = (end, step) => {
    scrollBy(0, step);
    scrolledAt = performance.now();
    if (scrolledAt < end) requestAnimationFrame(() => scroll(end, -step));
  };
  new MutationObserver(() => {
    if (!scrolledAt && document.querySelector("article p")) scroll(performance.now() + 1500, 3);
    const isCreated = [...document.querySelectorAll("main *")].some((one) => one.shadowRoot?.querySelector(".cm-content"));
    if (isCreated) globalThis.stillFor ??= performance.now() - scrolledAt;
  }).observe(document, { childList: true, subtree: true });
})()`;

test("no editor is prepared while one scrolls, and one as soon as the page rests", async () => {
  const id = await createDocument(ask, "Packing", TEXT.repeat(40));
  const other = await page.context().newPage();
  await other.addInitScript({ content: SCROLL });
  await other.goto(`/documents/${id}`);
  const stillFor = () => other.evaluate<number | undefined>("globalThis.stillFor");
  await expect.poll(stillFor).toBeGreaterThan(200);
  await other.close();
});

/** How much higher the page is with the prepared editor. */
const roomOfPrepared = () =>
  page.evaluate<number>(`(() => {
    const { scrollHeight } = document.documentElement;
    const { style } = waiting.getRootNode().host;
    style.display = "none";
    const without = document.documentElement.scrollHeight;
    style.display = "";
    return scrollHeight - without;
  })()`);

test("the editor that waits while one reads is not found, reached, copied or printed, and takes no room", async () => {
  const id = await createDocument(ask, "Packing", TEXT);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 500 });
    await read(id);
    await prepared("as told");
    const times = (text: string) => text.split("as told").length - 1;
    expect(times(await page.locator("main").ariaSnapshot())).toBe(1);
    expect(times(await page.locator("main").innerText())).toBe(1);
    const found = `(() => {
      getSelection().removeAllRanges();
      let count = 0;
      while (count < 5 && find("as told")) count += 1;
      return count;
    })()`;
    expect(await page.evaluate(found)).toBe(1);
    await page.keyboard.press("Control+a");
    expect(times(await page.evaluate("getSelection().toString()"))).toBe(1);
    await page.evaluate("getSelection().removeAllRanges()");
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press("Tab");
      expect(await isPreparedFocused()).toBe(false);
    }
    expect(await roomOfPrepared()).toBe(0);
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate("waiting.getClientRects().length")).toBe(0);
    await page.emulateMedia({ media: null });
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

/** Clicks the end of some words, and holds what follows when the browser is idle: the screen around the editor. */
async function clickAndHold(words: string, first = "A first"): Promise<void> {
  await prepared(first);
  await page.evaluate("globalThis.requestIdleCallback = () => 0");
  const { end, middle } = await drawn(words);
  await page.mouse.click(end, middle);
  await editor().waitFor();
  expect(await isPreparedFocused()).toBe(true);
  expect(new URL(page.url()).search).toBe("");
}

test("a clicked text is written in before the screen around it follows: nothing is lost, nothing jumps", async () => {
  const id = await createDocument(
    ask,
    "Packing",
    `${"Before.\n\n".repeat(20)}${TEXT}\n\n${"After.\n\n".repeat(40)}`,
  );
  const top = async () => (await drawn("as t")).top;
  await read(id);
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, 600);
  await expect.poll(() => page.evaluate("scrollY")).toBe(600);
  await clickAndHold("as told", "Before");
  const clicked = await top();
  await page.mouse.wheel(0, 100);
  await expect.poll(async () => Math.round((await top()) - clicked)).toBe(-100);
  // Another tab changes another passage meanwhile.
  const other = await page.context().newPage();
  await other.goto(`/documents/${id}?edit`);
  await writeAtStart(other, "Elsewhere. ");
  await expect.poll(() => page.locator("article").textContent()).toContain("Elsewhere");
  await other.close();
  expect(await isPreparedFocused()).toBe(true);
  await page.keyboard.type("|");
  expect(Math.abs((await top()) - clicked + 100)).toBeLessThan(4);
  expect(new URL(page.url()).search).toBe("?edit");
  await expect
    .poll(() => textOf(ask, id), { timeout: 20_000 })
    .toMatch(/^Elsewhere\. Before[\s\S]*> as told\|\n/);
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await expect.poll(() => textOf(ask, id)).toMatch(/^Elsewhere\. Before[\s\S]*> as told\n/);
  await page.keyboard.press("Escape");
  await page.getByRole("article").getByText("Elsewhere").waitFor();
});

test("before the screen around a clicked editor follows, Escape, the way back and a reload end it", async () => {
  const id = await createDocument(ask, "Way back", TEXT);
  await read(id);
  await clickAndHold("as told");
  await page.keyboard.press("Escape");
  await page.getByRole("article").getByText("Last of all").waitFor();
  expect(await editor().count()).toBe(0);
  await page.goto("/documents");
  await page.getByRole("row", { name: /^Way back/ }).click();
  await page.getByRole("article").getByText("Last of all").waitFor();
  await clickAndHold("as told");
  await page.goBack();
  await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor();
  expect(await editor().count()).toBe(0);
  await page.goForward();
  await page.getByRole("article").getByText("Last of all").waitFor();
  await read(id);
  await clickAndHold("as told");
  await page.reload();
  await page.getByRole("article").getByText("Last of all").waitFor();
  expect(await textOf(ask, id)).toBe(TEXT);
});

test("links, boxes, a selection and Shift keep their click", async () => {
  const id = await createDocument(ask, "Packing", TEXT);
  await read(id);
  await page.getByRole("checkbox", { name: "the map" }).click();
  await expect.poll(() => page.getByRole("checkbox", { name: "the map" }).isChecked()).toBe(true);
  const from = await drawn("A first");
  const to = await drawn("Last of");
  await page.mouse.move(from.end, from.middle);
  await page.mouse.down();
  await page.mouse.move(to.end, to.middle, { steps: 5 });
  await page.mouse.up();
  expect(await page.evaluate("getSelection().toString()")).toContain("boots");
  await page.keyboard.down("Shift");
  await page.mouse.click(to.end + 30, to.middle);
  await page.keyboard.up("Shift");
  expect(await page.evaluate("getSelection().toString()")).toContain("as told");
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("article").getByRole("link", { name: "link" }).click();
  await page.getByRole("heading", { level: 1, name: "Records" }).waitFor();
});

test("a long title has the same lines while one reads and while one writes", async () => {
  const id = await createDocument(
    ask,
    "Everything for the first week in Lisbon, and what else to think of",
    TEXT,
  );
  for (const width of [1280, 1000, 820, 600, 390, 360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await read(id);
    const title = page.getByRole("button", { name: /^Everything for/ });
    const shown = await title.boundingBox();
    await page.keyboard.press("e");
    await editor().waitFor();
    const written = await page.getByRole("textbox", { name: "Title" }).boundingBox();
    expect([written?.width, written?.height], String(width)).toEqual([shown?.width, shown?.height]);
    await page.keyboard.press("Escape");
    await title.waitFor();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

const FROM_RIGHT = `- שלום עולם
- item
  - תחתון

1. מספר ראשון

- [ ] משימה

> ציטוט קצר
>
> המשך

> - רשימה

> > פנימי

- > מקונן

> outer
>
> > הפוך

> [!note] כותרת
> גוף

> [!tip]
> עצה

| עיר | words |
| --- | ----- |
| beer | מים |

> | כפר | more |
> | --- | ---- |
> | wine | לחם |

> ⚠️ careful
>
> זהירות

Last of all.`;

/** The first words of blocks, and how far they are from the right at most. */
const FIRST_FROM_RIGHT: Record<string, number> = {
  שלום: 30,
  תחתון: 30,
  מספר: 30,
  משימה: 30,
  ציטוט: 20,
  המשך: 20,
  זהירות: 2,
  רשימה: 50,
  פנימי: 40,
  מקונן: 50,
  הפוך: 20,
  כותרת: 60,
  גוף: 30,
  עצה: 30,
};

/** On which side quotations have their bars. */
const barsWhileReading = () =>
  page.evaluate<string>(`[...document.querySelectorAll("article :is(blockquote, [role=note])")].map(
    (one) => getComputedStyle(one).borderRightWidth === "3px" ? "R" : "L"
  ).join("")`);

/** The same for each line, from the outermost quotation. */
const barsWhileWriting = () =>
  page.evaluate<string>(`(() => {
    const { shadowRoot } = [...document.querySelectorAll("[data-writing] *")].find((one) => one.shadowRoot);
    return [...shadowRoot.querySelectorAll(".live-quote")].map((line) =>
      getComputedStyle(line).backgroundPosition.split(", ").slice(1, -1).map((at) => /^right|100%/.test(at) ? "R" : "L").join("")
    ).join(" ");
  })()`);

test("what runs from right to left begins on the right, also lists, quotations and tables, and stays where it is", async () => {
  const id = await createDocument(ask, "Hebrew", FROM_RIGHT);
  await page.setViewportSize({ width: 1280, height: 1400 });
  await read(id);
  const before = new Map<string, Drawn>();
  const column = await page.getByRole("article").boundingBox();
  for (const [word, most] of Object.entries(FIRST_FROM_RIGHT)) {
    before.set(word, await drawn(word));
    const space = (column?.x ?? 0) + (column?.width ?? 0) - (before.get(word)?.end ?? 0);
    expect(space, word).toBeLessThan(most);
  }
  for (const word of ["item", "careful"]) before.set(word, await drawn(word));
  const columns = async () => {
    for (const [right, left] of [
      ["עיר", "words"],
      ["beer", "מים"],
      ["כפר", "more"],
      ["wine", "לחם"],
    ] as const)
      expect((await drawn(right)).start, right).toBeGreaterThan((await drawn(left)).start);
  };
  await columns();
  expect(await barsWhileReading()).toBe("RRRRRLRRRRL");
  await page.keyboard.press("e");
  await editor().waitFor();
  await page.keyboard.press("Control+End");
  for (const [word, { end, top }] of before) {
    const now = await drawn(word);
    expect(Math.abs(now.end - end), word).toBeLessThan(4);
    expect(Math.abs(now.top - top), word).toBeLessThan(4);
  }
  await columns();
  expect(await barsWhileWriting()).toBe("R R R R RR R L L LR R R R R R R R L L L");
  await page.keyboard.press("Escape");
  await page.getByRole("article").waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
});

const LISTS = `Before the list
- one
- two

- three after air

  more of it
- four
  - nested

    loose below

  - another one
- [ ] task

> said
>
> again

- > in an item
- [x] done

> [!note] Remember
> the hall closes, and whoever is still in it then stays there until the morning

> [!warning]
>
> between train
> - platform
> - rails
>
> below them

> [!tip] A title that is long enough for two lines on a phone, with nothing below it

- first of these
- > [!info] Within one
  > it says this
- > [!bug] Directly behind

Last of all.`;

test("each line of lists, quotations and callouts has the same place while one reads and while one writes", async () => {
  const id = await createDocument(ask, "Lists", LISTS);
  const words = LISTS.split("\n")
    .map((line) => line.replace(/^[\s>-]*(?:\[(?:[ x]|!\w+)\] ?)?/, ""))
    .filter(Boolean);
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 1400 });
    await read(id);
    const before = await Promise.all(words.map(drawn));
    await page.keyboard.press("e");
    await editor().waitFor();
    await page.keyboard.press("Control+End");
    const moved: unknown[] = [];
    for (const [index, word] of words.entries()) {
      const [was, now] = [before[index], await drawn(word)];
      const [down, right] = [now.top - (was?.top ?? 0), now.start - (was?.start ?? 0)];
      if (Math.max(Math.abs(down), Math.abs(right)) > 1) moved.push({ word, width, down, right });
    }
    expect(moved).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("article").waitFor();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

const CELLS = `| Day | What | Price |
| --- | ---- | ----- |
| 2026-12-01 | ${"A long word about what was bought. ".repeat(9)} | 111 € |

- item
  \`\`\`
  first {
    deeper
  }
  \`\`\`

Last of all.`;

test("dates and amounts in tables stay in one line, and code in an item is indented, while one reads and while one writes", async () => {
  const id = await createDocument(ask, "Cells", CELLS);
  const check = async (state: string) => {
    for (const words of ["2026-12-01", "111 €"]) {
      const { top, bottom } = await drawn(words);
      expect(bottom - top, `${words} ${state}`).toBeLessThan(30);
    }
    const cell = page.locator("td, .live-cell").filter({ hasText: "A long word", visible: true });
    expect((await cell.boundingBox())?.width, state).toBeGreaterThan(130);
    return (await drawn("deeper")).start - (await drawn("first")).start;
  };
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 1000 });
    await read(id);
    const deeper = await check(`read at ${width}`);
    await page.keyboard.press("e");
    await editor().waitFor();
    await page.keyboard.press("Control+End");
    expect(Math.abs((await check(`written at ${width}`)) - deeper)).toBeLessThan(1);
    await page.keyboard.press("Escape");
    await page.getByRole("article").waitFor();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("spaces at the end of a line move nothing sideways", async () => {
  const id = await createDocument(ask, "Spaces", "Last of all");
  await read(id);
  const { end, middle } = await drawn("Last of all");
  await page.mouse.click(end, middle);
  await editor().waitFor();
  await page.keyboard.type(" ".repeat(300));
  type Content = { parentElement: { scrollLeft: number } };
  const scrolled = () => editor().evaluate((content: Content) => content.parentElement.scrollLeft);
  expect(await scrolled()).toBe(0);
  await page.keyboard.type("|");
  await expect.poll(() => editor().innerText()).toContain("|");
  expect(await scrolled()).toBe(0);
});

const MIXED = Array.from(
  { length: 5 },
  (_, at) => `## Part ${at}

${"Some words about it. ".repeat(20)}paragraph${at}x

- [ ] task${at}x
- item${at}x

  \`\`\`
  code in an item
  \`\`\`

| head${at}x | what it is |
| --- | --- |
| cell${at}x | ${"words in a cell ".repeat(9)} |

\`\`\`js
const first${at}x = 1;
${"const other = 2;\n".repeat(12)}const last${at}x = "${"a long line ".repeat(12)}";
\`\`\`

> quoted${at}x
>
> \`\`\`
> code in a quotation
> \`\`\`

> [!note]- folded
> ${"what is not seen ".repeat(20)}

---

> [!tip] title${at}x
> body${at}x`,
).join("\n\n");

const PLACES_IN_MIXED = ["paragraph", "task", "item", "cell", "first", "last", "quoted", "title", "body"];

/** Scrolls words to a height as a person does, which ends what still moves by itself. */
async function bring(words: string, to: number): Promise<Drawn> {
  // What comes to the screen for the first time may have another height.
  await expect
    .poll(
      async () => {
        const { middle } = await drawn(words);
        if (Math.abs(middle - to) >= 3) await page.mouse.wheel(0, Math.round(middle - to));
        const before = await page.evaluate("scrollY");
        await page.evaluate(
          "new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))",
        );
        return Math.abs(middle - to) < 3 && before === (await page.evaluate("scrollY"));
      },
      { message: words },
    )
    .toBe(true);
  return drawn(words);
}

/** Waits until words are drawn where they were. */
const staysAt = (words: string, { middle }: Drawn, what: string) =>
  expect.poll(async () => Math.abs((await drawn(words)).middle - middle), { message: what }).toBeLessThan(2);

test("in a text with tables, code and callouts, what one clicks or sees first stays where it is, there and back", async () => {
  const id = await createDocument(ask, "Mixed", `${MIXED}\n\nLast of all.`);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 720 });
    await read(id);
    await page.mouse.move(100, 400);
    for (const place of PLACES_IN_MIXED) {
      const words = `${place}2x`;
      const was = await bring(words, 300);
      await page.mouse.click(was.end, was.middle);
      await editor().waitFor();
      await staysAt(words, was, `${words} clicked at ${width}`);
      await page.keyboard.press("Escape");
      await page.getByRole("article").getByText("Last of all").waitFor();
      await staysAt(words, was, `${words} read again at ${width}`);
    }
    for (const place of PLACES_IN_MIXED) {
      const words = `${place}3x`;
      const was = await bring(words, 60);
      for (const isWaited of [true, false]) {
        await page.keyboard.press("e");
        if (isWaited) {
          await editor().waitFor();
          await staysAt(words, was, `${words} at ${width}`);
        }
        await page.keyboard.press("Escape");
        await page.getByRole("article").getByText("Last of all").waitFor();
        await staysAt(words, was, `${words} read again at ${width}, waited: ${isWaited}`);
      }
    }
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await bring("cell1x", 60);
  await page.keyboard.press("e");
  await editor().waitFor();
  await page.keyboard.type(" typed");
  await page.locator(".live-cell").filter({ hasText: "in a cell typed" }).waitFor();
  await page.keyboard.press("Escape");
});

const MARKED = Array.from({ length: 12 }, (_, at) => {
  const link = `[plan ${at}](https://example.com/a/long/address/of/the/plan)`;
  return `${"Then ".repeat(at)}we had **bold words**, *soft ones*, \`some code\` and ${link}, [[Grace|her]] as end${at}x.`;
}).join("\n\n");

test("where marks of a paragraph are not shown, a click moves no word of it, and its lines end at the same words", async () => {
  const id = await createDocument(ask, "Marks", `${MARKED}\n\nLast of all.`);
  const ends = Array.from({ length: 12 }, (_, at) => `end${at}x`);
  for (const width of [1280, 820, 390, 320]) {
    await page.setViewportSize({ width, height: 2400 });
    await read(id);
    const before = await Promise.all(ends.map(drawn));
    const { end, middle } = before[5] as Drawn;
    await page.mouse.click(end, middle);
    await editor().waitFor();
    await page.keyboard.type("|");
    await expect.poll(() => editor().innerText()).toContain("end5x|");
    const moved: unknown[] = [];
    for (const [at, word] of ends.entries()) {
      const now = await drawn(word);
      const [down, right] = [now.top - (before[at]?.top ?? 0), now.start - (before[at]?.start ?? 0)];
      if (Math.max(Math.abs(down), Math.abs(right)) > 1) moved.push({ word, width, down, right });
    }
    expect(moved).toEqual([]);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Escape");
    await page.getByRole("article").waitFor();
  }
  // The marks of what one writes in are there.
  const bold = await drawn("bold words");
  await page.mouse.click(bold.end - 20, bold.middle);
  await editor().waitFor();
  await expect.poll(async () => (await drawn("bold words")).start - bold.start).toBeGreaterThan(10);
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("a double click selects the word, also between marks that its first click shows", async () => {
  const id = await createDocument(ask, "Packing", TEXT);
  const typeOver = async (word: string, typed: string, written: string) => {
    const { start, middle } = await drawn(word);
    await page.mouse.dblclick(start + 5, middle);
    await editor().waitFor();
    await page.keyboard.type(typed);
    await expect.poll(() => editor().innerText()).toContain(written);
  };
  // Before the editor is prepared, then in the one that was, and then in the one that is open.
  await read(id);
  await typeOver("bold", "thick", "**thick** words");
  await page.keyboard.press("Escape");
  await prepared("thick");
  await typeOver("thick", "light", "**light** words");
  await typeOver("boots", "shoes", "- shoes");
  await typeOver("code", "signs", "signs");
  await expect.poll(() => textOf(ask, id)).toContain("Last of all `signs` and");
  await page.keyboard.press("Escape");
});

test("a tap on a phone writes at that place", async () => {
  const id = await createDocument(ask, "Packing", TEXT);
  const before = page;
  const context = await stage.browser.newContext({
    baseURL: stage.service.apiUrl,
    storageState: await before.context().storageState(),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  page = await context.newPage();
  await read(id);
  await prepared("as told");
  expect(await roomOfPrepared()).toBe(0);
  const { end, middle, top } = await drawn("as told");
  await page.touchscreen.tap(end, middle);
  await editor().waitFor();
  await page.keyboard.insertText("|");
  await expect.poll(() => editor().innerText()).toContain("> as told|");
  expect(Math.abs((await drawn("as t")).top - top)).toBeLessThan(4);
  await read(id);
  const last = await drawn("and more");
  await page.touchscreen.tap(last.end, last.bottom + 15);
  await editor().waitFor();
  await page.keyboard.insertText("|");
  await expect.poll(() => editor().innerText()).toContain("and more.|");
  await context.close();
  page = before;
});
