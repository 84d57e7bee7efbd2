import { Combobox } from "@base-ui/react/combobox";
import { X } from "lucide-react";
import { Field } from "./field.tsx";
import person from "./person-field.module.css";
import styles from "./picks-field.module.css";

/** One of those that can be picked. */
export interface Pick {
  id: string;
  label: string;
}

interface PicksFieldProps {
  label: string;
  hint?: string;
  error?: string | null | undefined;
  /** What is typed, and what to search for. */
  search: string;
  onSearch: (search: string) => void;
  /** Those that were found. */
  found: readonly Pick[];
  picked: readonly Pick[];
  onPicked: (picked: Pick[]) => void;
  placeholder: string;
  /** What it says where nothing is found. */
  none: string;
  /** The name of the button that takes one away. */
  removeLabel: (label: string) => string;
}

/** Finds and picks several: a field with those that were picked, and those that match below it. Backspace takes the last one away. */
export function PicksField(props: PicksFieldProps) {
  const { label, hint, error, search, onSearch, found, picked, onPicked, placeholder, none, removeLabel } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {({ className, ...control }) => (
        <Combobox.Root
          multiple
          items={found}
          value={[...picked]}
          onValueChange={onPicked}
          inputValue={search}
          onInputValueChange={onSearch}
          // The service has searched.
          filter={null}
          itemToStringLabel={(pick: Pick) => pick.label}
          isItemEqualToValue={(one: Pick, other: Pick) => one.id === other.id}
          autoHighlight
        >
          <Combobox.Chips className={`${className} ${styles["picks"]}`}>
            {picked.map((pick) => (
              <Combobox.Chip key={pick.id} className={styles["pick"]} aria-label={pick.label}>
                {pick.label}
                <Combobox.ChipRemove aria-label={removeLabel(pick.label)}>
                  <X aria-hidden />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            <Combobox.Input
              {...control}
              className={styles["search"]}
              placeholder={picked.length === 0 ? placeholder : ""}
              maxLength={253}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
            />
          </Combobox.Chips>
          <Combobox.Portal>
            <Combobox.Positioner className={person["positioner"]} sideOffset={4}>
              <Combobox.Popup className={person["popup"]}>
                <Combobox.Empty className={person["none"]}>{none}</Combobox.Empty>
                <Combobox.List className={person["people"]}>
                  {(pick: Pick) => (
                    <Combobox.Item key={pick.id} value={pick} className={person["person"]}>
                      {pick.label}
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}
