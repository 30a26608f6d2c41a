import { Screen } from "../layout/screen.tsx";

export default function Connections() {
  return <Screen title="Connections">{null}</Screen>;
}
