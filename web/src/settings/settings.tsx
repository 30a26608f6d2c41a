import { Screen } from "../layout/screen.tsx";

export default function Settings() {
  return <Screen title="Settings">{null}</Screen>;
}
