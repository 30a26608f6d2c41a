import { screenTitleAt } from "../../../src/contract/paths.ts";
import { LoadingScreen, Screen } from "../kit/screen.tsx";
import { Loading } from "../kit/states.tsx";

/** The placeholder of a screen while it loads: its title, if the path determines it, and rows. */
export function Frame({ path }: { path: string }) {
  const title = screenTitleAt(path);
  return title ? (
    <Screen title={title}>
      <Loading />
    </Screen>
  ) : (
    <LoadingScreen />
  );
}
