import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toNfc } from "../../../src/contract/name-key.ts";
import type { StoredFolder } from "../../../src/features/documents/folder-path.ts";
import { type MergeStep, mergeSteps } from "../../../src/features/folders/duplicates.ts";
import { runSteps } from "../../../src/shared/text/steps.ts";

// Which folders get another name, and which join a duplicate.

const [NFC, NFD] = ["é", "e\u0301"];

/** Folders by their paths; each path is also the id. */
const tree = (...paths: string[]): StoredFolder[] =>
  paths.map((path) => ({
    id: path,
    name: path.split("/").at(-1)?.replace(/\d/g, "") ?? "",
    parent_id: path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : null,
  }));

const stepsOf = (folders: StoredFolder[]) => runSteps(mergeSteps(folders));

/** The folders after a step, which must find them as it expects them; throws where it does not. */
function carriedOut(folders: StoredFolder[], step: MergeStep): StoredFolder[] {
  const expected = "name" in step ? [step.folder] : [step.folder, step.joins, ...step.top];
  for (const one of expected) expect(folders).toContainEqual(one);
  if ("name" in step)
    return folders.map((one) => (one.id === step.folder.id ? { ...one, name: step.name } : one));
  const { folder, joins } = step;
  const moved = folders.map((one) => (one.parent_id === folder.id ? { ...one, parent_id: joins.id } : one));
  return moved.filter(({ id }) => id !== folder.id);
}

const pathOf = (folders: StoredFolder[], id: string | null): string[] => {
  const folder = folders.find((one) => one.id === id);
  return folder ? [...pathOf(folders, folder.parent_id), folder.name] : [];
};

/** The paths of all folders, in NFC. */
const pathsOf = (folders: StoredFolder[]) =>
  [...new Set(folders.map(({ id }) => toNfc(pathOf(folders, id).join("/"))))].sort();

describe("the steps", () => {
  test.each<[string, string[], string[]]>([
    ["a name that is alone", [NFD, `${NFD}/x`, `${NFD}/${NFD}`], [`${NFD}: ${NFC}`, `${NFD}/${NFD}: ${NFC}`]],
    ["duplicates", [NFD, NFC], [`${NFD} → ${NFC}`]],
    ["duplicates that are both in NFD", [`${NFD}1`, `${NFD}2`], [`${NFD}1: ${NFC}`, `${NFD}2 → ${NFD}1`]],
    [
      "duplicates in duplicates, the innermost first",
      [NFC, `${NFC}/a`, `${NFC}/a/${NFD}`, NFD, `${NFD}/a`, `${NFD}/a/${NFC}`],
      [
        `${NFD}/a/${NFC} → ${NFC}/a/${NFD}`,
        `${NFD}/a → ${NFC}/a`,
        `${NFD} → ${NFC}`,
        `${NFC}/a/${NFD}: ${NFC}`,
      ],
    ],
    [
      "one in duplicates that only the second has, and its own duplicate there",
      [NFC, NFD, `${NFD}/${NFD}`, `${NFD}/${NFC}`],
      [`${NFD} → ${NFC}`, `${NFD}/${NFD} → ${NFD}/${NFC}`],
    ],
    ["names that differ in case, or not at all", ["É", NFC, `${NFC}1`, "a", "A", "ﬁ", "fi"], []],
    ["the same name at two places", [`a`, `a/${NFC}`, `b`, `b/${NFC}`], []],
  ])("of %s", (_, paths, expected) => {
    const steps = stepsOf(tree(...paths)).map((step) =>
      "name" in step ? `${step.folder.id}: ${step.name}` : `${step.folder.id} → ${step.joins.id}`,
    );
    expect(steps).toEqual(expected);
  });

  const name = fc.constantFrom(NFC, NFD, "a", "ö", "o\u0308");
  const folders = fc.array(fc.tuple(name, fc.nat()), { maxLength: 14 }).map((all) =>
    all.map(([one, above], at) => ({
      id: `${at}`,
      name: one,
      parent_id: above % (at + 1) === at ? null : `${above % (at + 1)}`,
    })),
  );

  test("keep all paths, leave nothing to do, and can be restarted after each of them", () => {
    fc.assert(
      fc.property(folders, fc.nat(), (before, interrupted) => {
        const paths = pathsOf(before);
        let now: StoredFolder[] = before;
        for (const step of stepsOf(before).slice(0, interrupted % 5)) now = carriedOut(now, step);
        expect(pathsOf(now)).toEqual(paths);
        for (const step of stepsOf(now)) now = carriedOut(now, step);
        expect(pathsOf(now)).toEqual(paths);
        expect(now.filter((one) => one.name !== toNfc(one.name))).toEqual([]);
        expect(stepsOf(now)).toEqual([]);
      }),
    );
  });

  test("of a deep tree of many duplicates are found in time", () => {
    const chain = (form: string) =>
      Array.from({ length: 5000 }, (_, depth) => ({
        ...{ id: `${form}${depth}`, name: depth % 2 ? NFC : form },
        parent_id: depth > 0 ? `${form}${depth - 1}` : null,
      }));
    expect(stepsOf([...chain(NFC), ...chain(NFD)])).toHaveLength(5000);
  });
});
