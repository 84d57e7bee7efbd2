import { Dialog as Base } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent } from "react";
import { messageOf } from "../api.ts";
import { useSettled } from "../ui/use-settled.ts";
import { searched } from "../ui/pasted.ts";
import { paletteWords } from "../words/palette.ts";
import { groupOrder, moved, type Entry } from "./entries.ts";
import { leastForRecords, longestSearch, useEntries } from "./use-entries.ts";
import styles from "./palette.module.css";

const text = paletteWords;
const typingPause = 120;

interface PaletteProps {
  onClose: () => void;
  onKeys: () => void;
  onSignOut: () => void;
}

/** Jumps to a domain, a page or a record, or does something, by a few typed characters. In a chunk of its own. */
export function Palette({ onClose, onKeys, onSignOut }: PaletteProps) {
  const [typed, setTyped] = useState("");
  const search = useSettled(searched(typed), typingPause);
  const { entries, error, stale: incomplete } = useEntries(search, { onKeys, onSignOut });
  const stale = incomplete || search !== searched(typed);
  const [active, setActive] = useState(0);
  /** Whether Enter was pressed before the answers came. */
  const [entered, setEntered] = useState(false);
  const index = Math.min(active, Math.max(0, entries.length - 1));
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const optionId = (at: number) => `${id}-${at}`;

  const selected = entries[index]?.id;
  useEffect(() => {
    if (selected === undefined) return;
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [selected]);

  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const chooseEntered = useEffectEvent(() => choose(entries[index]));
  useEffect(() => {
    if (entered && !stale) chooseEntered();
  }, [entered, stale]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const next = moved(event.key, index, entries.length);
    if (next !== null) setActive(next);
    else if (event.key === "Enter") setEntered(true);
    else return;
    event.preventDefault();
  };

  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles["veil"]} />
        <Base.Popup className={styles["popup"]} aria-label={text.title} initialFocus={input}>
          <div className={styles["field"]}>
            <Search aria-hidden />
            <input
              ref={input}
              role="combobox"
              aria-label={text.title}
              aria-expanded
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={entries.length > 0 ? optionId(index) : undefined}
              autoComplete="off"
              spellCheck={false}
              placeholder={text.placeholder}
              maxLength={longestSearch}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setActive(0);
                setEntered(false);
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <div className={styles["list"]} ref={list} id={`${id}-list`} role="listbox" aria-label={text.results}>
            {groupOrder.map((group) => {
              const own = entries.filter((entry) => entry.group === group);
              if (own.length === 0) return null;
              return (
                <div key={group} role="group" aria-label={text[group]}>
                  <div className={styles["group"]} aria-hidden>
                    {text[group]}
                  </div>
                  {own.map((entry) => {
                    const at = entries.indexOf(entry);
                    return (
                      // The keyboard stays in the field; `onKeyDown` there moves and chooses.
                      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
                      <div
                        key={entry.id}
                        id={optionId(at)}
                        role="option"
                        aria-selected={at === index}
                        className={styles["option"]}
                        onMouseMove={() => setActive(at)}
                        onClick={() => choose(entry)}
                      >
                        <span className={group === "domains" || group === "records" ? styles["mono"] : ""}>
                          {entry.label}
                        </span>
                        <span className={styles["detail"]}>{entry.detail}</span>
                      </div>
                    );
                  })}
                </div>
              );
            })}
          </div>
          <p className={styles["state"]} role="status">
            {error !== null && !stale
              ? messageOf(error)
              : entries.length === 0
                ? stale
                  ? text.searching
                  : text.nothing
                : search.length < leastForRecords
                  ? text.hint
                  : ""}
          </p>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
