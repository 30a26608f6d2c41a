import { titleAt } from "../../../src/contract/paths.ts";
import { Screen } from "../kit/screen.tsx";

/** What a screen looks like until it is loaded: its title in its place, if the path says what it is. */
export function Frame({ path }: { path: string }) {
  const title = titleAt(path);
  if (!title) return null;
  return (
    <Screen title={title}>
      <span className="visually-hidden" role="status" data-loading>
        Loading…
      </span>
    </Screen>
  );
}
