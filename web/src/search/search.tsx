import { Screen } from "../layout/screen.tsx";

export default function Search() {
  return <Screen title="Search">{null}</Screen>;
}
