import { Combobox } from "@base-ui/react/combobox";
import { Field } from "./field.tsx";
import styles from "./person-field.module.css";

export interface Person {
  id: string;
  username: string;
  /** Beside the username. */
  detail?: string | null;
}

interface PersonFieldProps {
  label: string;
  hint?: string;
  error?: string | null | undefined;
  /** What is typed, and what to search for. */
  search: string;
  onSearch: (search: string) => void;
  /** Those who were found. */
  people: readonly Person[];
  /** Whether they were found by this search, and not by the one before it. */
  isFound: boolean;
  chosen: Person | null;
  onChoose: (person: Person | null) => void;
  placeholder?: string;
  /** What it says where nobody is found. */
  none: string;
}

/** Finds and chooses a person: one field, with those who match below it. */
export function PersonField({
  label,
  hint,
  error,
  search,
  onSearch,
  people,
  isFound,
  chosen,
  onChoose,
  placeholder,
  none,
}: PersonFieldProps) {
  // Whoever types on and presses Enter before the service has answered must not choose the first of those found before.
  const fitting = isFound ? people : people.filter((person) => fits(person, search));
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <Combobox.Root
          items={fitting}
          value={chosen}
          onValueChange={onChoose}
          inputValue={search}
          onInputValueChange={(text, { reason }) => {
            // What was typed stays when the list closes: it may be a whole name.
            if (text !== "" || reason === "input-change") onSearch(text);
          }}
          // The service has searched.
          filter={null}
          itemToStringLabel={({ username }: Person) => username}
          isItemEqualToValue={(one: Person, other: Person) => one.id === other.id}
          autoHighlight
        >
          <Combobox.Input
            {...control}
            placeholder={placeholder}
            maxLength={256}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
          />
          <Combobox.Portal>
            <Combobox.Positioner className={styles["positioner"]} sideOffset={4}>
              <Combobox.Popup className={styles["popup"]}>
                <Combobox.Empty className={styles["none"]}>{isFound ? none : null}</Combobox.Empty>
                <Combobox.List className={styles["people"]}>
                  {(person: Person) => (
                    <Combobox.Item key={person.id} value={person} className={styles["person"]}>
                      {person.username} {person.detail ? <small>{person.detail}</small> : null}
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

function fits({ username, detail }: Person, search: string): boolean {
  const typed = search.trim().toLowerCase();
  return [username, detail ?? ""].some((text) => text.toLowerCase().includes(typed));
}

/**
 * Who is meant: the person who was chosen, or whose name was typed, or the only one who was found.
 * @param isFound whether `people` were found by this search, and not by the one before it
 */
export function meantPerson(
  chosen: Person | null,
  search: string,
  people: readonly Person[],
  isFound: boolean,
): Person | null {
  const typed = search.trim().toLowerCase();
  if (typed === "") return null;
  const named = [...(chosen ? [chosen] : []), ...people].find(({ username }) => username.toLowerCase() === typed);
  return named ?? (isFound && people.length === 1 ? (people[0] ?? null) : null);
}
