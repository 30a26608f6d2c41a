import type { Home, Region } from "./homes.ts";

/** A home is closed to new users above this size, because D1 holds 10 GB and those who are in it go on writing. */
export const FULL_BYTES = 7_000_000_000;

const NEAREST: Record<string, Region[]> = {
  EU: ["weur", "eeur", "enam", "wnam", "apac", "oc"],
  AF: ["weur", "eeur", "enam", "apac", "wnam", "oc"],
  NA: ["enam", "wnam", "weur", "eeur", "apac", "oc"],
  SA: ["enam", "wnam", "weur", "eeur", "apac", "oc"],
  AS: ["apac", "eeur", "oc", "weur", "wnam", "enam"],
  OC: ["oc", "apac", "wnam", "enam", "weur", "eeur"],
};
const ANYWHERE: Region[] = ["weur", "enam", "eeur", "wnam", "apac", "oc"];

type Sizes = ReadonlyMap<number, number>;

const sizeOf = (bytes: Sizes, { number }: Home) => bytes.get(number) ?? 0;

export const hasRoom = (home: Home, bytes: Sizes): boolean => sizeOf(bytes, home) < FULL_BYTES;

export function emptiestIn(region: Region | undefined, homes: Home[], bytes: Sizes): number | undefined {
  const [emptiest] = homes
    .filter((home) => home.region === region && home.isOpen && hasRoom(home, bytes))
    .sort((a, b) => sizeOf(bytes, a) - sizeOf(bytes, b) || a.number - b.number);
  return emptiest?.number;
}

/** Undefined when no home takes new users. Those in `eu` are for who asks for it: nobody gets one by their place. */
export function nearestHome(homes: Home[], bytes: Sizes, continent: string | undefined): number | undefined {
  for (const region of NEAREST[continent ?? ""] ?? ANYWHERE) {
    const home = emptiestIn(region, homes, bytes);
    if (home !== undefined) return home;
  }
  return undefined;
}

/** Whether somebody who moves from one home to another leaves the jurisdiction of the European Union. */
export function leavesEu(homes: Home[], from: number, to: number): boolean {
  const isInEu = (number: number) => homes.some((home) => home.number === number && home.region === "eu");
  return isInEu(from) && !isInEu(to);
}
