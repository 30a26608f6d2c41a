import { type FormEvent, useState } from "react";
import { Button as AriaButton, Dialog, DialogTrigger, Popover } from "react-aria-components";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import styles from "../../kit/filter-picker.module.css";
import { ChevronDown } from "../../kit/icons.tsx";
import { useMe } from "../../state/queries.ts";
import { filtersInQuery, withOnlyFilter } from "./query-text.ts";

const PRESETS = [
  { name: "Last 7 days", days: 7 },
  { name: "Last 30 days", days: 30 },
  { name: "Last year", days: 365 },
];

const DAY_MS = 86_400_000;

/** The date `days` days ago in a time zone. */
const dayAgo = (days: number, timeZone: string | undefined) =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(Date.now() - days * DAY_MS);

type Props = { q: string; onChange: (q: string) => void };

const filterValue = (q: string, filter: "after" | "before") =>
  filtersInQuery(q).find(({ name }) => name === filter)?.value ?? "";

function DateRange({ q, onChange }: Props) {
  const [after, setAfter] = useState(filterValue(q, "after"));
  const [before, setBefore] = useState(filterValue(q, "before"));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const from = after === "" ? q : withOnlyFilter(q, { name: "after", value: after });
    onChange(before === "" ? from : withOnlyFilter(from, { name: "before", value: before }));
  };
  return (
    <form onSubmit={submit} className={styles.span}>
      <TextField label="From" type="date" value={after} onChange={setAfter} />
      <TextField label="Before" type="date" value={before} onChange={setBefore} />
      <Button type="submit" kind="primary" isDisabled={after === "" && before === ""}>
        Apply
      </Button>
    </form>
  );
}

/** Filters results by when they were last changed. */
export function DateRangePicker({ q, onChange }: Props) {
  const timezone = useMe()?.timezone;
  return (
    <DialogTrigger>
      <AriaButton className={styles.button}>
        Updated <ChevronDown size={16} />
      </AriaButton>
      <Popover className={styles.popover} placement="bottom start">
        <Dialog aria-label="Updated" className={styles.span}>
          {({ close }) => {
            const choose = (next: string) => {
              onChange(next);
              close();
            };
            return (
              <>
                <div className="button-row">
                  {PRESETS.map(({ name, days }) => (
                    <Button
                      key={name}
                      onPress={() =>
                        choose(withOnlyFilter(q, { name: "after", value: dayAgo(days, timezone) }))
                      }
                    >
                      {name}
                    </Button>
                  ))}
                </div>
                <DateRange q={q} onChange={choose} />
              </>
            );
          }}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
