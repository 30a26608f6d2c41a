import {
  Button as AriaButton,
  Autocomplete,
  Input,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  SearchField,
  useFilter,
} from "react-aria-components";
import styles from "./filter-picker.module.css";
import { ChevronDown } from "./icons.tsx";

export type Choice = { value: string; name: string; hint?: string | number };

type Props = {
  label: string;
  choices: readonly Choice[];
  onPick: (value: string) => void;
  /** Shown when there are no choices. */
  empty?: string;
};

/** Longer lists get a search field. */
const FEW = 8;

const Choices = ({ label, choices, onPick, empty }: Props) => (
  <Menu
    aria-label={label}
    items={choices.map((choice) => ({ ...choice, id: choice.value }))}
    onAction={(value) => onPick(String(value))}
    renderEmptyState={() => <p className={styles.none}>{empty}</p>}
    className={styles.menu}
  >
    {({ name, hint }) => (
      <MenuItem textValue={name} className={styles.choice}>
        <span>{name}</span>
        {hint !== undefined && <span className={styles.hint}>{hint}</span>}
      </MenuItem>
    )}
  </Menu>
);

function Searchable(props: Props) {
  const { contains } = useFilter({ sensitivity: "base" });
  return (
    <Autocomplete filter={contains}>
      <SearchField aria-label={`Search: ${props.label}`} autoFocus className={styles.field}>
        <Input placeholder="Type to filter" className={styles.input} />
      </SearchField>
      <Choices {...props} />
    </Autocomplete>
  );
}

/** A button that opens a list to choose a value from. */
export const FilterPicker = (props: Props) => (
  <MenuTrigger>
    <AriaButton className={styles.button}>
      {props.label} <ChevronDown size={16} />
    </AriaButton>
    <Popover className={styles.popover} placement="bottom start">
      {props.choices.length > FEW ? <Searchable {...props} /> : <Choices {...props} />}
    </Popover>
  </MenuTrigger>
);
