import { Link } from "@tanstack/react-router";
import { Bookmark, Ellipsis } from "lucide-react";
import { useState, type ReactNode } from "react";
import { messageOf } from "../api.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { CheckField, Form, TextField } from "../ui/field.tsx";
import { Menu } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { toast } from "../ui/toast.tsx";
import { useAction } from "../ui/use-action.ts";
import { pinsWords } from "../words/pins.ts";
import { changePreferences, changePreferencesOrSay, usePreferences, type SavedSearch } from "./preferences.ts";
import { isSame, savedFilters, type Filters, type SavedPage } from "./saved-filters.ts";
import styles from "./saved-searches.module.css";

const text = pinsWords;

const isNamed =
  (page: SavedPage, name: string) =>
  (each: SavedSearch): boolean =>
    each.page === page && each.name === name;

const change = (to: (all: readonly SavedSearch[]) => SavedSearch[]) =>
  changePreferencesOrSay(({ savedSearches }) => ({ savedSearches: to(savedSearches) }));

interface SavedSearchesProps {
  page: SavedPage;
  /** What the page shows. */
  filters: Filters;
}

/** The searches or filters that the user saved, each a link with a menu. */
export function SavedSearches({ page, filters }: SavedSearchesProps) {
  const saved = (usePreferences()?.savedSearches ?? []).filter((search) => search.page === page);
  const [renamed, setRenamed] = useState<SavedSearch | null>(null);
  if (saved.length === 0) return null;
  const remove = (search: SavedSearch) => {
    const isThis = isNamed(page, search.name);
    change((all) => all.filter((each) => !isThis(each)));
    const undo = () => change((all) => (all.some(isThis) ? [...all] : [...all, search]));
    toast({ title: text.deleted(search.name), action: { label: text.undo, run: undo } });
  };
  return (
    <>
      <ul className={styles["saved"]} aria-label={text.saved[page]}>
        {saved.map((search) => (
          <li key={search.name} data-current={isSame(page, search.filters, filters) || undefined}>
            <Link
              to={page === "search" ? "/search" : "/"}
              search={search.filters}
              preload={false}
              activeProps={{}}
              activeOptions={{ exact: true }}
            >
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
                        all.map((each) =>
                          isNamed(page, search.name)(each) ? { ...each, pinned: !search.pinned } : each,
                        ),
                      ),
                  },
                  { id: "rename", label: text.rename, run: () => setRenamed(search) },
                ],
                [{ id: "delete", label: text.delete, danger: true, run: () => remove(search) }],
              ]}
            />
          </li>
        ))}
      </ul>
      {renamed ? <RenameSearch search={renamed} onClose={() => setRenamed(null)} /> : null}
    </>
  );
}

interface SaveSearchProps extends SavedSearchesProps {
  /** What it is called unless the user says otherwise. */
  suggested: string;
  onClose: () => void;
}

/** Asks for the name of a search, or of filters, and saves it. One of the same name is replaced. */
export function SaveSearch({ page, filters, suggested, onClose }: SaveSearchProps) {
  const [pinned, setPinned] = useState(page === "search");
  const saved = usePreferences()?.savedSearches ?? [];
  const store = async (name: string) => {
    const search: SavedSearch = { name, page, filters: savedFilters(page, filters), pinned };
    await changePreferences(({ savedSearches }) => ({
      savedSearches: [...savedSearches.filter((each) => !isNamed(page, name)(each)), search],
    }));
  };
  return (
    <NameDialog
      title={text.saveTitle[page]}
      description={text.saveHint}
      name={suggested}
      hintFor={(name) => (saved.some(isNamed(page, name)) ? text.replaces[page] : null)}
      onSave={store}
      onClose={onClose}
    >
      <CheckField label={text.inRail} checked={pinned} onValue={setPinned} />
    </NameDialog>
  );
}

/** Asks for another name. A name that is in use is refused: nobody means to lose a search by renaming another. */
function RenameSearch({ search, onClose }: { search: SavedSearch; onClose: () => void }) {
  const { page, name: before } = search;
  const saved = usePreferences()?.savedSearches ?? [];
  const store = async (name: string) =>
    await changePreferences(({ savedSearches }) => ({
      savedSearches: savedSearches.map((each) => (isNamed(page, before)(each) ? { ...each, name } : each)),
    }));
  return (
    <NameDialog
      title={text.renameTitle(before)}
      name={before}
      errorFor={(name) => (name !== before && saved.some(isNamed(page, name)) ? text.taken : null)}
      onSave={store}
      onClose={onClose}
    />
  );
}

interface NameDialogProps {
  title: string;
  description?: string;
  name: string;
  hintFor?: (name: string) => string | null;
  errorFor?: (name: string) => string | null;
  onSave: (name: string) => Promise<void>;
  onClose: () => void;
  children?: ReactNode;
}

const noText = () => null;

function NameDialog(props: NameDialogProps) {
  const { title, description, name: before, hintFor = noText, errorFor = noText, onSave, onClose, children } = props;
  const [name, setName] = useState(before);
  const [isSent, setIsSent] = useState(false);
  const given = name.trim();
  const fault = given === "" ? text.nameMissing : errorFor(given);
  const save = useAction(async () => {
    setIsSent(true);
    if (fault !== null) return;
    await onSave(given);
    onClose();
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={description}
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
          error={isSent ? fault : null}
          hint={hintFor(given)}
        />
        {children}
      </Form>
    </Dialog>
  );
}
