import { Screen } from "../layout/screen.tsx";

export default function Documents() {
  return <Screen title="Documents">{null}</Screen>;
}
