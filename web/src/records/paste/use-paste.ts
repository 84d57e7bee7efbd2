import { useEffectEvent, useLayoutEffect, useState } from "react";
import type { DnsRecord } from "@zonewright/client";
import { client } from "../../api.ts";
import type { Draft } from "../../zone/draft/draft.ts";
import { allRows, type Row } from "../grid/rows.ts";
import type { Given } from "./paste-dialog.tsx";

/** Up to this many names are asked for one by one; otherwise the zone is read as a whole. */
const mostNames = 20;

/** Takes texts that are pasted on the page, outside of fields and dialogs, and files that are dropped on it. */
export function usePaste(mayAdd: boolean, onGiven: (given: Given) => void): { isDropping: boolean } {
  const [isDropping, setIsDropping] = useState(false);
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (!mayAdd || isElsewhere(event.target)) return;
    const [file] = event.clipboardData?.files ?? [];
    const text = event.clipboardData?.getData("text") ?? "";
    if (text.trim() === "" && !file) return;
    event.preventDefault();
    onGiven(text.trim() === "" && file ? { file } : { text });
  });
  const onDrag = useEffectEvent((event: DragEvent) => {
    if (!mayAdd || !event.dataTransfer?.types.includes("Files") || isElsewhere(event.target)) return;
    event.preventDefault();
    setIsDropping(event.type === "dragover");
    const [file] = event.type === "drop" ? event.dataTransfer.files : [];
    if (file) onGiven({ file });
  });
  const onLeave = useEffectEvent((event: DragEvent) => {
    // Only the window has nothing beside it.
    if (event.relatedTarget === null) setIsDropping(false);
  });
  // Before the page is seen: who sees it may paste at once.
  useLayoutEffect(() => {
    addEventListener("paste", onPaste);
    addEventListener("dragover", onDrag);
    addEventListener("drop", onDrag);
    addEventListener("dragleave", onLeave);
    return () => {
      removeEventListener("paste", onPaste);
      removeEventListener("dragover", onDrag);
      removeEventListener("drop", onDrag);
      removeEventListener("dragleave", onLeave);
    };
  }, []);
  return { isDropping };
}

/** Whether an event is meant for a field or a dialog. */
function isElsewhere(target: EventTarget | null): boolean {
  return (
    document.querySelector('[role="dialog"]:not([class*="toast"])') !== null ||
    (target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null)
  );
}

interface ZoneOfPaste {
  domainId: string;
  /** The loaded records, if they are all of the zone. */
  whole: readonly DnsRecord[] | null;
  draft: Draft;
}

/** Reads the zone's records with the draft's edits: of a few names only these. */
export async function rowsFor(
  { domainId, whole, draft }: ZoneOfPaste,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Row[]> {
  if (whole) return allRows(whole, draft);
  const records: DnsRecord[] = [];
  if (names.size <= mostNames) {
    for (const name of names)
      for await (const record of client.eachRecord({ id: domainId, name }, { signal })) records.push(record);
  } else {
    for await (const record of client.eachRecord({ id: domainId }, { signal })) records.push(record);
  }
  return allRows(records, draft);
}
