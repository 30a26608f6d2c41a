import { Screen } from "../layout/screen.tsx";

export function Today() {
  return <Screen title="Today">{null}</Screen>;
}
