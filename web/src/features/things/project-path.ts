import { pathOf } from "../../../../src/contract/paths.ts";
import { isDots } from "../../../../src/contract/tag-rule.ts";

/** Where a project is shown. A name of dots, which is no part of a path, leads to the list of its records. */
export const projectPath = (name: string): string =>
  isDots(name) ? `${pathOf("records")}?project=${name}` : pathOf("project", name);

/** The project that a path names. The router decodes a part of it only. */
export function projectAt(path: string): string {
  const name = path.split("/")[2] ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
