import { type Reference, urlOf } from "../../contract/links.ts";
import { SCREENS } from "../../contract/paths.ts";
import type { Ctx } from "../core/ctx.ts";

type Trashed = Pick<Reference, "kind" | "id">;

/** What a tool answers to a wish to erase something for good: it is in the trash, and only a person can do the rest. */
export function eraseRequest(
  { public_url = "" }: Pick<Ctx, "public_url">,
  trashed: readonly Trashed[],
): string {
  const [only, ...others] = trashed;
  const place =
    only && others.length === 0
      ? urlOf(public_url, only)
      : `${public_url}${SCREENS.documents.path}?view=trash`;
  return `In the trash. Only the user can erase it for good: ask them to confirm it at ${place}`;
}
