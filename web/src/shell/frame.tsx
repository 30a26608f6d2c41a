import { screenTitleAt } from "../../../src/contract/paths.ts";
import { Screen } from "../kit/screen.tsx";

/** The placeholder of a screen while it loads: its title, if the path determines it. */
export function Frame({ path }: { path: string }) {
  const title = screenTitleAt(path);
  if (!title) return null;
  return (
    <Screen title={title}>
      <span className="visually-hidden" role="status" data-loading>
        Loading…
      </span>
    </Screen>
  );
}
