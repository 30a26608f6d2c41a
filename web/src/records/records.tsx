import { Screen } from "../layout/screen.tsx";

export default function Records() {
  return <Screen title="Records">{null}</Screen>;
}
