import { Screen } from "../layout/screen.tsx";

export default function Transfer() {
  return <Screen title="Transfer">{null}</Screen>;
}
