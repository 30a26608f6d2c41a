import type { Browser } from "playwright-core";
import { launch } from "../test/e2e/browser.ts";
import { freePorts } from "../test/e2e/service.ts";
import { atEnd } from "./at-end.ts";
import { type Copy, startCopy } from "./copies.ts";
import { printTable } from "./table.ts";
import { fill, type Subject } from "./web-account.ts";
import { type FieldName, scroll, typeInLongText, typeQueries } from "./web-keys.ts";
import { measureMoves, measureVisits, SCREENS } from "./web-loading.ts";

// The app in a browser, with an account of 4,000 documents and 2,000 records: what a screen loads and how soon it shows its
// data, on a desk and on a phone on the way, and how it keeps up with somebody who types and scrolls.

type Figure = { name: string; value: number; digits?: number; goal?: number };
type Measure = (browser: Browser, subject: Subject) => Promise<Figure[]>;

type ScreenName = keyof typeof SCREENS;

const atADesk =
  (screen: ScreenName): Measure =>
  async (browser, { url }) => {
    const { cold } = await measureVisits(browser, url, { screen, isSlow: false });
    return [
      { name: `${screen}, nothing cached: requests`, value: cold.requests },
      { name: "kB", value: cold.bytes / 1000 },
      { name: "first content, ms", value: cold.paint },
      { name: "with its data, ms", value: cold.shown },
    ];
  };

const SLOW_GOALS: Record<ScreenName, { cold: number; warm?: number }> = {
  Today: { cold: 2500, warm: 1000 },
  Documents: { cold: 2500 },
};

const onTheWay =
  (screen: ScreenName): Measure =>
  async (browser, { url }) => {
    const { cold, warm } = await measureVisits(browser, url, { screen, isSlow: true });
    const goals = SLOW_GOALS[screen];
    return [
      { name: `${screen} on fast 3G, processor ÷ 4: with its data, ms`, value: cold.shown, goal: goals.cold },
      { name: "the second time, ms", value: warm.shown, ...(goals.warm && { goal: goals.warm }) },
      { name: "what moves (CLS, the most)", value: Math.max(cold.moved, warm.moved), digits: 3, goal: 0.05 },
    ];
  };

const moving: Measure = async (browser, { url }) => {
  const moved = await measureMoves(browser, url);
  const most = Math.max(...moved.values());
  const [where = ""] = [...moved].find(([, much]) => much === most) ?? [];
  console.log(`Most moves on ${where}`);
  return [{ name: "What moves on any screen (CLS, the most)", value: most, digits: 3, goal: 0.05 }];
};

const typing =
  (field: FieldName): Measure =>
  async (browser, subject) => {
    const { median, p95, frame, tasks } = await typeQueries(browser, subject, field);
    return [
      { name: `${field}: from key to answer, ms`, value: median, goal: 100 },
      { name: "95th percentile, ms", value: p95 },
      { name: "longest frame, ms", value: frame, goal: 50 },
      { name: "tasks over 50 ms", value: tasks },
    ];
  };

const scrolling: Measure = async (browser, subject) => {
  const { tasks, longest } = await scroll(browser, subject);
  return [
    { name: "Scrolling through the documents: tasks over 50 ms of processor time", value: tasks, goal: 0 },
    { name: "the longest, ms", value: longest },
  ];
};

const writing: Measure = async (browser, subject) => {
  const { median, p95 } = await typeInLongText(browser, subject);
  return [
    { name: "A key in 200 kB of text, ms of the page's processor time", value: median, digits: 1 },
    { name: "95th percentile, ms", value: p95, digits: 1, goal: 16 },
  ];
};

const screens = Object.keys(SCREENS) as ScreenName[];
const MEASURES: Measure[] = [
  ...screens.map(atADesk),
  ...screens.map(onTheWay),
  moving,
  typing("Search"),
  typing("Palette"),
  scrolling,
  writing,
];

async function start(copy: Copy, stateDir: string): Promise<Subject> {
  console.log(`Filling ${copy.name}…`);
  const { apiUrl } = await startCopy(copy, `${stateDir}-${copy.name.replace(/\W/g, "-")}`, await freePorts());
  return fill(copy.name, apiUrl);
}

/** Measures the app of these copies in Chromium, one after the other for each figure. */
export async function benchWeb(copies: Copy[], stateDir: string): Promise<void> {
  const subjects: Subject[] = [];
  for (const copy of copies) subjects.push(await start(copy, stateDir));
  const browser = await launch();
  atEnd(() => browser.close());
  const rows: string[][] = [];
  for (const measure of MEASURES) {
    const measured: Figure[][] = [];
    for (const subject of subjects) measured.push(await measure(browser, subject));
    for (const [line, { name, goal }] of (measured[0] ?? []).entries()) {
      const values = measured.map(
        (figures) => figures[line]?.value.toFixed(figures[line]?.digits ?? 0) ?? "",
      );
      rows.push([name, ...values, goal === undefined ? "" : String(goal)]);
    }
  }
  printTable("The app in a browser, medians", ["", ...subjects.map(({ name }) => name), "at most"], rows);
}
