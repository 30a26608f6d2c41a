import { screenPath } from "../../../../src/contract/paths.ts";

const DOTS = /^\.\.?$/;

/** The path of a project. A URL cannot have "." or ".." as a path segment, so such a name leads to its list of records. */
export const projectPath = (name: string): string =>
  DOTS.test(name) ? `${screenPath("records")}?project=${name}` : screenPath("project", name);

/** The project in the current URL; undefined on other screens. The router decodes the name only partly. */
export function currentProject(): string | undefined {
  const start = screenPath("project");
  const { pathname } = location;
  if (!pathname.startsWith(start)) return undefined;
  const name = pathname.slice(start.length);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
