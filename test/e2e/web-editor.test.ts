import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { CLIPBOARDS } from "../../web/test/kit/clipboards.ts";
import { complete, isFocused, overflow, violations, violationsInBoth } from "./app.ts";
import type { Ask } from "./ask.ts";
import { type AppOfPerson, openAs, phoneOf, stageFor } from "./stage.ts";
import { createDocument, textOf as documentText, textField } from "./steps.ts";

// The editor: Markdown that looks as it reads, the menu on `/`, find and replace, paste, and a phone. What keys do in tables
// and lists is in web/test/editor-keys.test.ts.

let person: AppOfPerson;
let page: Page;
let ask: Ask;

const stage = stageFor({}, async (set) => {
  person = await openAs(set);
  ({ page, ask } = person);
  await person.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});

const textOf = (id: string) => documentText(ask, id);
const field = (on: Page = page) => textField(on);
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Opens a new document with this text in the editor, the cursor behind its end. */
async function write(text: string, on: Page = page): Promise<string> {
  const id = await createDocument(ask, "Plan", text);
  await on.goto(`/documents/${id}?edit`);
  await on.locator(".cm-content").waitFor();
  await field(on).press("Control+End");
  return id;
}

const line = (number: number, on: Page = page) => on.locator(".cm-line").nth(number);
const lines = () => page.locator(".cm-line").allInnerTexts();

/** What one sees of each line: its text without what has no size or no colour. */
const seen = () =>
  page.evaluate<string[]>(`(() => {
    const hosts = [...document.querySelectorAll("*")].filter(({ shadowRoot }) => shadowRoot);
    const lines = hosts.flatMap(({ shadowRoot }) => [...shadowRoot.querySelectorAll(".cm-line")]);
    return lines.map((line) => {
      let text = "";
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { parentElement: around, data } = walker.currentNode;
        const { color, fontSize } = getComputedStyle(around);
        const isSeen = !around.closest(".live-hidden") && fontSize !== "0px" && color !== "rgba(0, 0, 0, 0)";
        if (isSeen) text += data;
      }
      return text;
    });
  })()`);

/** Pastes texts by their types, and files that a script adds. */
const paste = (data: Record<string, string>, files = "") =>
  page.evaluate(
    `(() => {
      const data = new DataTransfer();
      for (const [type, text] of Object.entries(${JSON.stringify(data)})) data.setData(type, text);
      ${files}
      let target = document.activeElement;
      while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true }));
    })()`,
  );

const SOURCE = [
  "## Heading",
  "",
  "Some **bold**, *soft*, ~~gone~~ and `code`, [a link](https://example.com/a), [sic] and \\*.",
  "",
  "- item",
  "- [ ] task",
  "",
  "> said",
  "",
  "| A | B |",
  "| - | - |",
  "| long cell | 2 |",
  "",
  "---",
  "",
  "last",
];

test("a text looks as it reads; the source is where the cursor is, in what is copied and for screen readers", async () => {
  await write(SOURCE.join("\n"));
  const read = [...SOURCE];
  read[0] = "Heading";
  read[2] = "Some bold, soft, gone and code, a link, [sic] and *.";
  read[4] = "item";
  read[5] = " task";
  read[7] = "said";
  read[9] = " A  B ";
  read[10] = "";
  read[11] = " long cell  2 ";
  read[13] = "";
  await expect.poll(seen).toEqual(read);
  expect(await violationsInBoth(page)).toEqual([]);
  // A click leads to the letter that is clicked, although marks are hidden in front of it, and shows the marks around it.
  await page.getByText("gone", { exact: true }).click();
  await expect.poll(async () => (await seen())[2]).toBe(read[2]?.replace("gone", "~~gone~~"));
  await page.keyboard.insertText("ooo");
  await expect.poll(() => line(2).innerText()).toContain("~~goooone~~");
  await press("Control+z", "Control+a", "Control+c");
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(SOURCE.join("\n"));
  await press("Control+End");
  const tools = await person.context.newCDPSession(page);
  const { nodes } = await tools.send("Accessibility.getFullAXTree");
  const read_aloud = nodes
    .filter(({ role }) => role?.value === "StaticText")
    .map(({ name }) => name?.value)
    .join("");
  for (const mark of ["## ", "**", "](https://example.com/a)", "> "]) expect(read_aloud).toContain(mark);
});

test("the box of a task is ticked while one writes, by mouse and by key, and the cursor stays", async () => {
  const id = await write("- [ ] buy **milk**\n- [x] bread\n\nlast");
  const milk = page.getByRole("checkbox", { name: "buy **milk**" });
  await milk.click();
  await expect.poll(() => textOf(id)).toBe("- [x] buy **milk**\n- [x] bread\n\nlast");
  await expect.poll(() => isFocused(field())).toBe(true);
  await page.keyboard.insertText("!");
  await press("Control+Home", "ArrowDown", "End", "Control+Enter");
  await expect.poll(() => textOf(id)).toBe("- [x] buy **milk**\n- [ ] bread\n\nlast!");
  await expect.poll(() => page.getByRole("checkbox", { name: "bread" }).isChecked()).toBe(false);
});

test("Home leads to where an item begins, and from there in front of its mark; Enter goes on with the list", async () => {
  const id = await write("- [ ] bread\n- [ ] milk\n\nlast");
  const isBoxShown = () => page.getByRole("checkbox", { name: "milk" }).isVisible();
  await press("ArrowUp", "ArrowUp", "End");
  await expect.poll(isBoxShown).toBe(true);
  await press("Home");
  await expect.poll(isBoxShown).toBe(true);
  await press("Enter");
  await page.keyboard.insertText("oat ");
  await expect.poll(() => textOf(id)).toBe("- [ ] bread\n- [ ] \n- [ ] oat milk\n\nlast");
  await press("ArrowUp");
  await page.keyboard.insertText("eggs");
  await expect.poll(() => textOf(id)).toBe("- [ ] bread\n- [ ] eggs\n- [ ] oat milk\n\nlast");
  await press("Shift+Home", "Delete", "Home");
  await page.keyboard.insertText("Then: ");
  await expect.poll(() => textOf(id)).toBe("- [ ] bread\nThen: - [ ] \n- [ ] oat milk\n\nlast");
});

type Styles = {
  getComputedStyle: (of: unknown) => { fontWeight: string; boxShadow: string; background: string };
};

test("code has the colours of its language, which is loaded when a block names it", async () => {
  await write("words");
  await complete(page);
  const { promise: isTime, resolve: goOn } = Promise.withResolvers<void>();
  await page.route("**/app/*.js", (route) => isTime.then(() => route.continue()));
  const asked = page.waitForRequest("**/app/*.js");
  await page.keyboard.type("\n\n```py\ndef ");
  await asked;
  const word = page.locator(".cm-line").nth(3).getByText("def", { exact: true });
  const weightOf = (one: { ownerDocument: { defaultView: unknown } }) => {
    const { getComputedStyle } = one.ownerDocument.defaultView as Styles;
    return getComputedStyle(one).fontWeight;
  };
  expect(await word.evaluate(weightOf)).toBe("400");
  goOn();
  await expect.poll(() => word.evaluate(weightOf)).toBe("600");
  await page.unrouteAll({ behavior: "wait" });
});

test("`/` inserts: filtered while one types, by Enter or Tab, closed by Escape, and only where it is no path", async () => {
  const id = await write("");
  const options = page.getByRole("option");
  const type = async (name: string, keys: string) => {
    await page.keyboard.type(keys);
    await page.getByRole("option", { name, selected: true }).waitFor();
  };
  await type("Heading 1", "/hea");
  await press("Escape");
  await expect.poll(() => options.count()).toBe(0);
  await press("Control+a", "Delete");
  await type("Heading 1", "/");
  await expect.poll(() => options.count()).toBe(13);
  expect(await violations(page)).toEqual([]);
  await press("ArrowDown", "Enter");
  await page.keyboard.type("Plan");
  await press("Enter");
  await type("Task", "/tas");
  await press("Tab");
  await page.keyboard.type("call");
  await press("Enter", "Enter");
  await type("Date", "on /dat");
  await press("Enter");
  // The day of the account, whatever zone the browser is in.
  const today = new Date().toISOString().slice(0, 10);
  await type("Table", " /tab");
  await press("Enter");
  await page.keyboard.type("Who");
  await press("Tab", "Tab");
  await page.keyboard.type("Ada");
  const table = "| Who | Column |\n| --- | ------ |\n| Ada    |        |";
  await expect.poll(() => textOf(id)).toBe(`## Plan\n- [ ] call\n\non ${today}\n\n${table}`);
  // In code, in an address and behind a word it is a sign.
  await press("Control+a", "Delete");
  await page.keyboard.type("`a /");
  await page.keyboard.type("` https://a.example/b and/or");
  await expect.poll(() => options.count()).toBe(0);
  expect(person.complaints).toEqual([]);
});

test("what was typed before the menu is loaded opens it then, and what stood there before does not", async () => {
  const chosen = page.getByRole("option", { selected: true });
  await createDocument(ask, "Grace", "An admiral.");
  for (const [text, typed, shown] of [
    ["Words", " /hea", "Heading 1"],
    ["Words", " [[gra", "Grace"],
    ["A folder /hea", "", undefined],
  ] as const) {
    const menu = Promise.withResolvers<void>();
    await page.route(/\/extras-[^/]*\.js/, async (route) => {
      await menu.promise;
      await route.continue();
    });
    await write(text);
    await page.keyboard.type(typed);
    const loaded = page.waitForResponse(/\/extras-[^/]*\.js/);
    menu.resolve();
    await loaded;
    if (shown) await chosen.filter({ hasText: shown }).waitFor();
    else {
      await page.keyboard.type(" /quo");
      await chosen.filter({ hasText: "Quote" }).waitFor();
    }
    await press("Enter");
    await page.unroute(/\/extras-[^/]*\.js/);
  }
  expect(await lines()).toEqual(["> A folder /hea "]);
});

test("words are found and replaced; all at once is undone at once, and Escape leads back", async () => {
  const id = await write("One cat, two Cats, category.\n\ncat");
  await press("Control+Home", "Control+f");
  const find = page.getByRole("textbox", { name: "Find", exact: true });
  await expect.poll(() => isFocused(find)).toBe(true);
  await page.keyboard.type("cat");
  const bar = page.getByRole("search", { name: "Find and replace" });
  const said = bar.getByRole("status");
  await expect.poll(() => said.innerText()).toBe("1 of 4");
  await press("Enter");
  await expect.poll(() => said.innerText()).toBe("2 of 4");
  await press("Shift+Enter", "Shift+Enter");
  await expect.poll(() => said.innerText()).toBe("4 of 4");
  expect(await violationsInBoth(page)).toEqual([]);
  for (const [name, words] of [
    ["Match case", /of 3$/],
    ["Whole words", /of 2$/],
  ] as const) {
    await bar.getByRole("button", { name }).click();
    await expect.poll(() => said.innerText()).toMatch(words);
  }
  await bar.getByRole("button", { name: "Match case" }).click();
  await bar.getByRole("button", { name: "Whole words" }).click();
  await bar.getByRole("button", { name: "Regular expression" }).click();
  await find.fill("c(a");
  await expect.poll(() => said.innerText()).toBe("Invalid regular expression");
  await find.fill("c(at)");
  await bar.getByRole("textbox", { name: "Replace with" }).fill("b$1");
  await bar.getByRole("button", { name: "All" }).click();
  await expect.poll(() => said.innerText()).toBe("4 replaced");
  await expect.poll(() => textOf(id)).toBe("One bat, two bats, bategory.\n\nbat");
  await press("Escape");
  await expect.poll(() => bar.count()).toBe(0);
  await expect.poll(() => isFocused(field())).toBe(true);
  await press("Control+z");
  await expect.poll(() => textOf(id)).toBe("One cat, two Cats, category.\n\ncat");
});

test("rich text becomes Markdown, an address over words a link, and code and plain text stay as they are", async () => {
  const id = await write("");
  const html = `<meta charset=utf-8><b style="font-weight:normal"><h2>Notes</h2><p>Some <span style="font-weight:700">bold</span>
    and <a href="https://example.com/a">a link</a>, <a href="javascript:alert(1)">not this</a>.</p>
    <ul><li>one<ul><li>inner</li></ul></li><li><input type=checkbox checked> done</li></ul>
    <table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>
    <img src="data:image/png;base64,AA" alt="chart"><script>document.title = "owned"</script></b>`;
  await paste({ "text/html": html, "text/plain": "plain" });
  const markdown = [
    "## Notes",
    "Some **bold** and [a link](https://example.com/a), not this.",
    "- one\n  - inner\n- [x] done",
    "| A | B |\n| - | - |\n| 1 | 2 |",
    "chart",
  ].join("\n\n");
  await expect.poll(() => textOf(id)).toBe(markdown);
  const pasted = async (data: Record<string, string>, text: string, files?: string) => {
    await press("Control+a", "Delete");
    await paste(data, files);
    await expect.poll(async () => (await lines()).join("\n")).toBe(text);
  };
  await pasted({ "text/html": "<p>no <span>format</span></p>", "text/plain": "no  format" }, "no  format");
  await pasted({ "text/html": "<pre>a <b>b</b></pre>", "text/plain": "a b" }, "a b");
  const code = { "text/html": "<b>let</b> a", "text/plain": "let a", "vscode-editor-data": "{}" };
  await pasted(code, "let a");
  // A table comes with its picture.
  const picture = 'data.items.add(new File(["x"], "shot.png", { type: "image/png" }));';
  await pasted({ "text/plain": "A1 B1" }, "A1 B1", picture);
  await pasted({ "text/html": `<p>${"<b>x</b>".repeat(125_000)}</p>`, "text/plain": "much" }, "much");
  await page.getByText("Pasted as plain text").waitFor();
  const nested = `${"<div>".repeat(20_000)}<b>deep</b>`;
  await pasted({ "text/html": nested, "text/plain": "deep" }, "deep");
  await press("Control+a");
  await paste({ "text/plain": "https://example.com" });
  await expect.poll(lines).toEqual(["[deep](https://example.com)"]);
  await press("Control+a", "Delete");
  await page.evaluate(
    `navigator.clipboard.write([new ClipboardItem({
      "text/html": new Blob(["<b>bold</b>"], { type: "text/html" }),
      "text/plain": new Blob(["bold"], { type: "text/plain" }),
    })])`,
  );
  await press("Control+v");
  await expect.poll(lines).toEqual(["**bold**"]);
  await press("Control+a", "Control+Shift+v");
  await expect.poll(lines).toEqual(["bold"]);
  expect(await page.title()).not.toBe("owned");
});

test("what programs put on the clipboard becomes Markdown, and the browser reports nothing", async () => {
  await write("");
  /** The source, as it is copied. */
  const source = async () => {
    await press("Control+a", "Control+c");
    return page.evaluate<string>("navigator.clipboard.readText()");
  };
  const said = person.complaints.length;
  for (const { program, html, plain, editor, markdown } of CLIPBOARDS) {
    await press("Control+a", "Delete");
    await paste({
      "text/plain": plain,
      ...(html !== undefined && { "text/html": html }),
      ...(editor !== undefined && { "vscode-editor-data": editor }),
    });
    await expect.poll(source, { message: program }).toBe(markdown);
  }
  // The lines of a page come back.
  await press("Control+a", "Delete");
  await paste({ "text/plain": CLIPBOARDS.find(({ program }) => program === "a PDF viewer")?.plain ?? "" });
  await expect.poll(source).toMatch(/smaller extent/);
  await press("Control+z");
  await expect.poll(source).toMatch(/smaller ex-\n/);
  expect(person.complaints.slice(said)).toEqual([]);
});

/** Clipboards that would load, run or take something, or take long. */
const HOSTILE: Record<string, string> = {
  code: `<p>a</p><script>document.title = "owned"</script><img src=x onerror="document.title = 'owned'">
    <a href="javascript:document.title = 'owned'">b</a><svg onload="document.title = 'owned'"></svg>
    <iframe srcdoc="<script>parent.document.title = 'owned'</script>"></iframe><b style="background: url(https://evil.example/a)">c</b>
    <style>@import url(https://evil.example/b);</style><link rel=stylesheet href=https://evil.example/c>
    <img src="https://evil.example/d"><base href="https://evil.example/"><meta http-equiv=refresh content="0;https://evil.example">`,
  long: `<p><b>${"word ".repeat(2_000_000)}</b></p>`,
  nested: `${"<div>".repeat(300_000)}<b>deep</b>`,
  comments: "<!--".repeat(300_000),
  sheets: `<style>${"{".repeat(300_000)}</style>${"<style>".repeat(50_000)}`,
  marks: `${Array.from({ length: 90 }, (_, at) => `<b class=c${at}>`).join("")}${"<p>".repeat(40_000)}`,
  spans: `<table>${"<tr><td colspan=1000000 rowspan=1000000>x".repeat(1000)}</table>`,
  rows: `<table><tr>${"<td>".repeat(9000)}${"<tr>".repeat(9000)}</table>`,
  breaks: `<b>a</b>${"<br>".repeat(60_000)}`,
  stars: `<p><b>x</b>${"*_[~&lt;".repeat(12_000)}</p>`,
};

test("a hostile clipboard runs and loads nothing, and does not take long", async () => {
  await write("");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  for (const [name, html] of Object.entries(HOSTILE)) {
    await press("Control+a", "Delete");
    await paste({ "text/html": html, "text/plain": `${name}.` });
    await expect.poll(async () => (await lines()).join("").length, { message: name }).toBeGreaterThan(0);
  }
  expect(asked.filter((url) => url.includes("evil.example"))).toEqual([]);
  expect(await page.title()).not.toBe("owned");
});

/** What costs a parser or a browser more than linear time, or nests without end, if nothing limits it. */
const HOSTILE_LINES = ["- ", "1. ", ">", "[a](", "[]", "]", "*a_", "a"];

test("a text with a hostile line is read, opened and written in", async () => {
  for (const signs of HOSTILE_LINES) {
    const hostile = signs.repeat(100_000 / signs.length);
    const id = await createDocument(ask, "Odd", `First\n\n${hostile}[!note] x\n\nLast`);
    const begun = performance.now();
    await page.goto(`/documents/${id}`);
    await page.getByRole("article").getByText("First").first().waitFor();
    await press("e");
    await field().press("Control+End");
    await page.keyboard.type(" words");
    await press("Escape");
    await page.getByRole("article").getByText("Last words").first().waitFor();
    // On a busy machine; in one of these lines, the first letter took more than a minute.
    expect(performance.now() - begun, signs).toBeLessThan(20_000);
  }
});

test("a table that is typed sign by sign has the cells that were meant", async () => {
  const id = await write("Plan");
  // The menu comes with what reads these signs.
  await press("Enter", "Enter", "/");
  await page.getByRole("listbox", { name: "Insert" }).waitFor();
  await press("Escape", "Backspace");
  for (const row of ["| Plant | Metres |", "|---|---|", "| Bean | 3 |", "| Pea | 12 |"]) {
    await page.keyboard.type(row);
    await press("Enter");
  }
  await press("Enter");
  await page.keyboard.type("Below");
  const rows = ["| Plant | Metres |", "| ----- | ------ |", "| Bean  | 3      |", "| Pea   | 12     |"];
  await expect.poll(() => textOf(id)).toBe(["Plan", "", ...rows, "", "Below"].join("\n"));
});

const WEEK = [
  "Some words that are longer than a phone is wide, so that they are wrapped.",
  "",
  "| Plant | Metres | What to do with it |",
  "| ----- | -----: | ------------------ |",
  "| Tomato | 3 | Water it every morning, and at noon |",
  "| Bean | 12 | **Nothing** |",
  "",
  "| Monday | Tuesday | Wednesday | Thursday | Friday |",
  "| ------ | ------- | --------- | -------- | ------ |",
  "| Soup   | Bread   | Rice      | Fish     | Eggs   |",
  "",
  "> | Name | Age |",
  "> | ---- | --- |",
  "> | Ada  | 36  |",
];

test("on a phone the columns of a table stay below each other, the written cell is in view, and the text as wide as the screen", async () => {
  const { page: phone } = await openAs(stage, "/", { person, ...phoneOf(320, 700) });
  await write(WEEK.join("\n"), phone);
  const lefts = async (number: number) => {
    const cells = await line(number, phone).locator(".live-cell").all();
    return Promise.all(cells.map(async (cell) => Math.round((await cell.boundingBox())?.x ?? -1)));
  };
  const right = async (number: number) => {
    const box = await line(number, phone).boundingBox();
    return (box?.x ?? 0) + (box?.width ?? 0);
  };
  const heads = await lefts(2);
  expect(heads).toEqual(heads.toSorted((one, other) => one - other));
  for (const row of [4, 5]) expect(await lefts(row)).toEqual(heads);
  expect(await right(4)).toBeLessThanOrEqual(320);
  expect(await lefts(9)).toEqual(await lefts(7));
  expect(await right(0)).toBeLessThanOrEqual(320);
  // The row in the quotation has the quotation's bar, and its own line.
  const { boxShadow, background } = await line(13, phone).evaluate((row) => {
    const { getComputedStyle } = row.ownerDocument.defaultView as unknown as Styles;
    const { boxShadow, background } = getComputedStyle(row);
    return { boxShadow, background };
  });
  expect(boxShadow).toMatch(/inset/);
  expect(background).toMatch(/gradient\(.* \/ 3px 100% /);
  await line(9, phone).getByText("Soup").tap();
  for (let times = 0; times < 4; times++) await phone.keyboard.press("Tab");
  await phone.keyboard.press("ArrowRight");
  await phone.keyboard.type(" and ham");
  const caret = async () => (await phone.locator(".cm-cursor-primary").boundingBox())?.x ?? -1;
  await expect.poll(caret).toSatisfy((x: number) => x > 200 && x < 320);
  expect(await overflow(phone)).toBe(0);
  await phone.keyboard.press("Control+Home");
  await expect.poll(async () => (await line(0, phone).boundingBox())?.x).toBeGreaterThan(0);
});

test("on a phone a long cell is no tower of single words, and its table scrolls alone", async () => {
  const words = "in it we go on as we do so it is to be ".repeat(3);
  const table = `| A | B | C | D |\n| - | - | - | - |\n| ${[1, 2, 3, 4].map((n) => `${n} ${words}`).join(" | ")} |`;
  for (const width of [320, 390]) {
    const { page: phone } = await openAs(stage, "/", { person, ...phoneOf(width, 700) });
    await write(`${table}\n\nBelow`, phone);
    const { width: row = 0, height = 0 } = (await line(2, phone).boundingBox()) ?? {};
    // The lines, without the space around them.
    expect((height - 17) / 20).toBeLessThan(9);
    expect(row).toBeGreaterThan(width);
    expect(await overflow(phone)).toBe(0);
  }
});

test("what a table’s cells show stands in one line where there is room, in any script; very many words are no harm", async () => {
  const cells = [
    "早上给番茄浇水然后休息",
    "毎朝トマトに水をやる",
    "아침마다 토마토에 물을",
    "✅ 🍅🍅🍅🍅🍅🍅",
    "Bean",
  ];
  const table = cells.map((cell) => `| ${cell} |\n| - |\n| x |`);
  const many = `| A |\n| - |\n| ${"a ".repeat(200_000)}|`;
  const said = person.complaints.length;
  await write([...table, many].join("\n\n"));
  const heights = await Promise.all(
    cells.map(
      async (_, at) =>
        (
          await line(4 * at)
            .locator(".live-cell")
            .boundingBox()
        )?.height ?? -1,
    ),
  );
  expect(new Set(heights.map(Math.round)).size).toBe(1);
  expect(person.complaints.slice(said)).toEqual([]);
});

test("words are counted, those of what is selected too, and all but one paragraph can be faint", async () => {
  await write("One two three.\n\nFour **five**.");
  await page.getByText("5 words, 28 characters").waitFor();
  await press("Shift+Home");
  await page.getByText("2 words, 14 characters selected").waitFor();
  const faint = () => page.locator(".live-faint").count();
  await press("ArrowRight", "Control+.");
  await expect.poll(faint).toBe(2);
  await page.reload();
  await page.locator(".cm-content").waitFor();
  await expect.poll(faint).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Exit focus mode" }).click();
  await expect.poll(faint).toBe(0);
});

test("Tab leads out of a text that is no list and no table, and Escape out of all", async () => {
  await write("words");
  await press("Tab");
  await expect.poll(() => isFocused(field())).toBe(false);
  await field().press("Control+End");
  await page.keyboard.type("\n\n- one");
  await press("Tab");
  await expect.poll(() => isFocused(field())).toBe(true);
  await press("Escape");
  await page.getByRole("button", { name: /^Edit/ }).waitFor();
});

test("on a phone the signs are above the keyboard, large enough for fingers", async () => {
  const phone = await openAs(stage, "/", { person, ...phoneOf(390, 700) });
  const id = await write("one", phone.page);
  const bar = phone.page.getByRole("toolbar", { name: "Keyboard toolbar" });
  await bar.waitFor();
  const sizes = await bar
    .getByRole("button")
    .evaluateAll((all) => all.flatMap((one) => [one.clientWidth, one.clientHeight]));
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);
  await bar.getByRole("button", { name: "Tasks" }).tap();
  await expect.poll(() => textOf(id)).toBe("- [ ] one");
  await expect.poll(() => isFocused(field(phone.page))).toBe(true);
  await bar.getByRole("button", { name: "Undo" }).tap();
  await expect.poll(() => textOf(id)).toBe("one");
  expect(await violations(phone.page)).toEqual([]);
  await bar.getByRole("button", { name: "Hide keyboard" }).tap();
  await bar.waitFor({ state: "hidden" });
  await phone.page.getByRole("button", { name: "Find and replace" }).tap();
  const find = phone.page.getByRole("search", { name: "Find and replace" });
  await expect.poll(() => isFocused(find.getByRole("textbox", { name: "Find", exact: true }))).toBe(true);
  await phone.page.keyboard.type("one");
  await find.getByText("1 of 1").waitFor();
  for (const one of await find.getByRole("button").all()) {
    const box = await one.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  }
  await find.getByRole("button", { name: "Close" }).tap();
  await find.waitFor({ state: "hidden" });
  expect(phone.complaints).toEqual([]);
});
