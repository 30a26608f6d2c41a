import { Screen } from "../layout/screen.tsx";

export default function History() {
  return <Screen title="History">{null}</Screen>;
}
