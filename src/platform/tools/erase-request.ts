import { type ItemReference, recordUrl } from "../../contract/links.ts";
import { SCREENS } from "../../contract/paths.ts";
import type { Ctx } from "../core/ctx.ts";

type Trashed = Pick<ItemReference, "kind" | "id">;

/** A tool's answer to a request to erase something permanently: it is in the trash, and only a person can erase it. */
export function eraseRequestText(
  { public_url = "" }: Pick<Ctx, "public_url">,
  trashed: readonly Trashed[],
): string {
  const [only, ...others] = trashed;
  const url =
    only && others.length === 0
      ? recordUrl(public_url, only)
      : `${public_url}${SCREENS.documents.path}?view=trash`;
  return `In the trash. Only the user can erase it permanently: ask them to confirm it at ${url}`;
}
