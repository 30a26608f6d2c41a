import { pathOf } from "../../../../src/contract/paths.ts";

const DOTS = /^\.\.?$/;

/** Where a project is shown. A name of dots, which is no part of a path, leads to the list of its records. */
export const projectPath = (name: string): string =>
  DOTS.test(name) ? `${pathOf("records")}?project=${name}` : pathOf("project", name);

/** The project that the path of this page names; undefined on another screen. The router decodes a part of it only. */
export function projectHere(): string | undefined {
  const start = pathOf("project");
  const { pathname } = location;
  if (!pathname.startsWith(start)) return undefined;
  const name = pathname.slice(start.length);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
