import type { Browser } from "playwright-core";
import { launch } from "../test/e2e/browser.ts";
import { atEnd, type Copy, startCopy } from "./copies.ts";
import { type Figures, measureInTurns, printTable, ratioOf, shown } from "./figures.ts";
import { type FieldName, scroll, typeInLongText, typeQueries } from "./web-keys.ts";
import { fillApp, measureMoves, measureVisits, type ScreenName, type Subject } from "./web-screens.ts";

// The app in a browser, with an account of 4,000 documents and 2,000 records: what a screen loads and how soon it shows its
// data, on a desk and on a phone on the way, and how it keeps up with somebody who types and scrolls.

type Measure = (browser: Browser, subject: Subject) => Promise<Figures>;

const atADesk =
  (screen: ScreenName): Measure =>
  async (browser, { url }) => {
    const { cold } = await measureVisits(browser, url, { screen, isSlow: false });
    return {
      [`${screen}, nothing cached: requests`]: cold.requests,
      kB: cold.bytes / 1000,
      "first content, ms": cold.paint,
      "with its data, ms": cold.shown,
    };
  };

const onTheWay =
  (screen: ScreenName): Measure =>
  async (browser, { url }) => {
    const { cold, warm } = await measureVisits(browser, url, { screen, isSlow: true });
    return {
      [`${screen} on fast 3G, processor ÷ 4: with its data, ms`]: cold.shown,
      "the second time, ms": warm.shown,
      "what moves (CLS, the most)": Math.max(cold.moved, warm.moved),
    };
  };

const moving: Measure = async (browser, { url }) => {
  const moved = await measureMoves(browser, url);
  const [where, most] = [...moved].reduce((one, other) => (other[1] > one[1] ? other : one));
  console.log(`Most moves on ${where}`);
  return { "What moves on any screen (CLS, the most)": most };
};

const typing =
  (field: FieldName): Measure =>
  async (browser, subject) => {
    const { median, p95, frame, tasks } = await typeQueries(browser, subject, field);
    return {
      [`${field}: from key to answer, ms`]: median,
      "95th percentile, ms": p95,
      "longest frame, ms": frame,
      "tasks over 50 ms": tasks,
    };
  };

const scrolling: Measure = async (browser, subject) => {
  const { tasks, longest } = await scroll(browser, subject);
  return {
    "Scrolling through the documents: tasks over 50 ms of processor time": tasks,
    "the longest, ms": longest,
  };
};

const writing: Measure = async (browser, subject) => {
  const { median, p95 } = await typeInLongText(browser, subject);
  return { "A key in 200 kB of text, ms of the page's processor time": median, "95th percentile, ms": p95 };
};

/** What is measured, and what its figures may be at most. */
const MEASURES: Record<string, { measure: Measure; goals?: Figures }> = {
  "Today at a desk": { measure: atADesk("Today") },
  "Documents at a desk": { measure: atADesk("Documents") },
  "Today on the way": {
    measure: onTheWay("Today"),
    goals: {
      ...{ "Today on fast 3G, processor ÷ 4: with its data, ms": 2500, "the second time, ms": 1000 },
      "what moves (CLS, the most)": 0.05,
    },
  },
  "Documents on the way": {
    measure: onTheWay("Documents"),
    goals: {
      "Documents on fast 3G, processor ÷ 4: with its data, ms": 2500,
      "what moves (CLS, the most)": 0.05,
    },
  },
  moves: { measure: moving, goals: { "What moves on any screen (CLS, the most)": 0.05 } },
  search: {
    measure: typing("Search"),
    goals: { "Search: from key to answer, ms": 100, "longest frame, ms": 50 },
  },
  palette: {
    measure: typing("Palette"),
    goals: { "Palette: from key to answer, ms": 100, "longest frame, ms": 50 },
  },
  scrolling: {
    measure: scrolling,
    goals: { "Scrolling through the documents: tasks over 50 ms of processor time": 0 },
  },
  writing: { measure: writing, goals: { "95th percentile, ms": 16 } },
};

const digitsOf = (figure: string) => (figure.includes("CLS") ? 3 : figure.includes("processor time") ? 1 : 0);

/** Measures the app of these copies in Chromium, one after the other for each figure. */
export async function benchWeb(copies: Copy[], stateDir: string, only = ""): Promise<void> {
  const subjects: Subject[] = [];
  for (const copy of copies) {
    const running = await startCopy(copy, `${stateDir}-${subjects.length}`);
    console.log(`Filling ${copy.name}…`);
    subjects.push(await fillApp(running));
  }
  const browser = await launch();
  atEnd(() => browser.close());
  const wanted = Object.entries(MEASURES).filter(([name]) => new RegExp(only).test(name));
  const cases = wanted.map(([name, { measure }]) => ({
    name,
    measures: subjects.map((subject) => () => measure(browser, subject)),
  }));
  const rows = (await measureInTurns(cases)).flatMap((measured) =>
    Object.keys(measured.figures[0]?.[0] ?? {}).map((figure) => [
      ...[figure, shown(measured, figure, digitsOf(figure)), ratioOf(measured, figure)?.toFixed(2) ?? ""],
      String(MEASURES[measured.name]?.goals?.[figure] ?? ""),
    ]),
  );
  const names = subjects.map(({ name }) => name).join(" → ");
  printTable("The app in a browser, medians", ["", names, "ratio", "at most"], rows);
}
