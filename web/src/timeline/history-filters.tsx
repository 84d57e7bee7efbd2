import { useNavigate } from "@tanstack/react-router";
import { useEffect, useId, useState } from "react";
import { Button } from "../ui/button.tsx";
import field from "../ui/field.module.css";
import { useSettled } from "../ui/use-settled.ts";
import { timelineWords } from "../words/timeline.ts";
import styles from "./timeline.module.css";

const text = timelineWords.filters;

/** Days back, as the address has them. */
const spans = ["1d", "7d", "30d", "90d"] as const;
const settleMilliseconds = 250;
const none: readonly string[] = [];

/** What the address of the history may ask for. */
export interface HistorySearch {
  name?: string | undefined;
  by?: string | undefined;
  since?: string | undefined;
}

/** The filters as the API takes them. */
export function askedFor({ name, by, since }: HistorySearch) {
  const days = spans.find((span) => span === since);
  return {
    ...(name && { name }),
    ...(by && { actorName: by }),
    ...(days && { from: new Date(Date.now() - Number.parseInt(days) * 86_400_000) }),
  };
}

interface HistoryFiltersProps {
  search: HistorySearch;
  /** Who made the changes that are shown, to choose from. */
  authors: readonly string[];
}

/** By name, author and time: who broke www last week is one step away. */
export function HistoryFilters({ search, authors }: HistoryFiltersProps) {
  const navigate = useNavigate({ from: "/d/$name/timeline" });
  const ask = (changes: HistorySearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  const [clears, setClears] = useState(0);
  const { name, by, since } = search;
  return (
    <div className={styles["filters"]} role="search" aria-label={text.title}>
      <Typed
        key={`name ${clears}`}
        label={text.name}
        value={name}
        maxLength={1024}
        onValue={(typed) => ask({ name: typed })}
      />
      <Typed
        key={`by ${clears}`}
        label={text.by}
        value={by}
        maxLength={64}
        choices={authors}
        onValue={(typed) => ask({ by: typed })}
      />
      <select
        className={field["input"]}
        aria-label={text.since}
        value={spans.find((span) => span === since) ?? ""}
        onChange={({ target }) => ask({ since: target.value || undefined })}
      >
        <option value="">{text.anyTime}</option>
        {spans.map((span) => (
          <option key={span} value={span}>
            {text.lastDays(Number.parseInt(span))}
          </option>
        ))}
      </select>
      {name || by || since ? (
        <Button
          kind="quiet"
          onClick={() => {
            setClears(clears + 1);
            ask({ name: undefined, by: undefined, since: undefined });
          }}
        >
          {text.clear}
        </Button>
      ) : null}
    </div>
  );
}

interface TypedProps {
  label: string;
  value: string | undefined;
  maxLength: number;
  choices?: readonly string[];
  onValue: (typed: string | undefined) => void;
}

/** A field that asks once typing rests. */
function Typed({ label, value = "", maxLength, choices = none, onValue }: TypedProps) {
  const list = useId();
  const [typed, setTyped] = useState(value);
  const [shown, setShown] = useState(value);
  // The address moved by itself, such as back.
  if (shown !== value) {
    setShown(value);
    if (typed.trim() !== value) setTyped(value);
  }
  const settled = useSettled(typed.trim(), settleMilliseconds);
  useEffect(() => {
    if (settled === typed.trim() && settled !== value) onValue(settled || undefined);
    // Only what was typed asks, once it rests.
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [settled]);
  return (
    <>
      <input
        className={field["input"]}
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={maxLength}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        list={choices.length > 0 ? list : undefined}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {choices.length > 0 ? (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </datalist>
      ) : null}
    </>
  );
}
