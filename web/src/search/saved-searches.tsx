import { Link } from "@tanstack/react-router";
import { Bookmark, Ellipsis } from "lucide-react";
import { useState } from "react";
import { messageOf } from "../api.ts";
import { changePreferences, changePreferencesOrSay, usePreferences, type SavedSearch } from "../session/preferences.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Menu } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { pinsWords } from "../words/pins.ts";
import { savedFilters, suggestedName, type SearchFilters } from "./filters.ts";
import styles from "./search.module.css";

const text = pinsWords;

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);
const onSearch = ({ page }: SavedSearch) => page === "search";

const change = (to: (all: readonly SavedSearch[]) => SavedSearch[]) =>
  changePreferencesOrSay(({ savedSearches }) => ({ savedSearches: to(savedSearches) }));

/** The searches that the user saved, each a link with a menu. */
export function SavedSearches({ filters }: { filters: SearchFilters }) {
  const saved = (usePreferences()?.savedSearches ?? []).filter(onSearch);
  if (saved.length === 0) return null;
  const shown = savedFilters(filters);
  const isThis = (search: SavedSearch) => (each: SavedSearch) => onSearch(each) && each.name === search.name;
  const remove = (search: SavedSearch) => {
    change((all) => all.filter((each) => !isThis(search)(each)));
    const undo = () => change((all) => (all.some(isThis(search)) ? [...all] : [...all, search]));
    toast({ title: text.deleted(search.name), action: { label: text.undo, run: undo } });
  };
  return (
    <ul className={styles["saved"]} aria-label={text.saved}>
      {saved.map((search) => (
        <li key={search.name} data-current={isSame(savedFilters(search.filters), shown) || undefined}>
          <Link to="/search" search={search.filters} preload={false} activeProps={{}}>
            {search.pinned ? <Bookmark aria-hidden /> : null} {search.name}
          </Link>
          <Menu
            trigger={
              <button type="button" aria-label={text.more(search.name)}>
                <Ellipsis aria-hidden />
              </button>
            }
            groups={[
              [
                {
                  id: "pin",
                  label: search.pinned ? text.unpinSearch : text.pinSearch,
                  run: () =>
                    change((all) =>
                      all.map((each) => (isThis(search)(each) ? { ...each, pinned: !search.pinned } : each)),
                    ),
                },
              ],
              [{ id: "delete", label: text.delete, danger: true, run: () => remove(search) }],
            ]}
          />
        </li>
      ))}
    </ul>
  );
}

/** Asks for the name of a search and saves it. */
export function SaveSearch({ filters, onClose }: { filters: SearchFilters; onClose: () => void }) {
  const [name, setName] = useState(() => suggestedName(filters));
  const [pinned, setPinned] = useState(true);
  const [missed, setMissed] = useState(false);
  const saved = usePreferences()?.savedSearches ?? [];
  const given = name.trim();
  const replaces = saved.some((each) => onSearch(each) && each.name === given);
  const save = useAction(async () => {
    setMissed(given === "");
    if (given === "") return;
    const search: SavedSearch = { name: given, page: "search", filters: savedFilters(filters), pinned };
    await changePreferences(({ savedSearches }) => ({
      savedSearches: [...savedSearches.filter((each) => !(onSearch(each) && each.name === given)), search],
    }));
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.saveTitle}
      description={text.saveHint}
      alert={save.error === null ? null : <Notice kind="error">{messageOf(save.error)}</Notice>}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {text.cancel}
          </Button>
          <Button kind="primary" type="submit" form="save-search" pending={save.pending}>
            {text.saveNow}
          </Button>
        </>
      }
    >
      <Form id="save-search" onSubmit={() => void save.run()}>
        <TextField
          label={text.name}
          maxLength={100}
          value={name}
          onValue={setName}
          error={missed && given === "" ? text.nameMissing : null}
          hint={replaces ? text.replaces : null}
        />
        <CheckField label={text.inRail} checked={pinned} onValue={setPinned} />
      </Form>
    </Dialog>
  );
}
