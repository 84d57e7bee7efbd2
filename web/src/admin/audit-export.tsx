import type { RouterInputs } from "@zonewright/client";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { client, messageOf } from "../api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { Menu } from "../ui/menu.tsx";
import { saveFile } from "../ui/save-file.ts";
import { toast } from "../ui/toast.tsx";
import { adminWords } from "../words/admin.ts";
import styles from "./admin.module.css";

const text = adminWords.audit;
/** More would not fit into the memory of every tab. */
const most = 200_000;
const formats = ["csv", "jsonl"] as const;

type Filters = Omit<RouterInputs["audit"]["export"], "format" | "before">;

/** What was read so far, and from where to go on. */
interface Progress {
  filters: Filters;
  format: (typeof formats)[number];
  parts: readonly string[];
  entries: number;
  before: string | undefined;
}

interface AuditExportProps {
  filters: Filters;
  disabled: boolean;
}

/** Saves what the filters find as a file. A long trail is read in parts, and can be stopped; after a failure it goes on where it was. */
export function AuditExport({ filters, disabled }: AuditExportProps) {
  /** How many entries were read; null while none are. */
  const [read, setRead] = useState<number | null>(null);
  const [failed, setFailed] = useState<{ progress: Progress; why: string } | null>(null);
  const stopping = useRef<AbortController | null>(null);
  useEffect(() => () => stopping.current?.abort(), []);
  const save = async (from: Progress) => {
    if (stopping.current) return;
    const abort = new AbortController();
    stopping.current = abort;
    let progress = from;
    setFailed(null);
    setRead(progress.entries);
    try {
      do {
        progress = await nextPart(progress, abort.signal);
        setRead(progress.entries);
      } while (progress.before !== undefined && progress.entries < most);
      saveFile(`audit.${progress.format}`, progress.parts);
      const number = formatNumber(progress.entries);
      toast({ title: progress.before === undefined ? text.exported(number) : text.exportedFirst(number) });
    } catch (error) {
      if (abort.signal.aborted) toast({ title: text.stopped });
      else setFailed({ progress, why: messageOf(error) });
    } finally {
      stopping.current = null;
      setRead(null);
    }
  };
  const state = read !== null ? "reading" : failed ? "failed" : "ready";
  const button = useRef<HTMLButtonElement>(null);
  const shown = useRef(state);
  useLayoutEffect(() => {
    if (shown.current === state) return;
    shown.current = state;
    // The button that had the focus is gone. A frame later the page's content has it: see keepFocus.
    if (document.activeElement === document.body) button.current?.focus();
  }, [state]);
  if (read !== null)
    return (
      <>
        <span role="status" className={styles["lead"]}>
          {text.exporting(formatNumber(read))}
        </span>
        <Button ref={button} onClick={() => stopping.current?.abort()}>
          {text.stop}
        </Button>
      </>
    );
  if (failed)
    return (
      <>
        <span role="alert" className={styles["lead"]}>
          {failed.why}
        </span>
        <Button ref={button} onClick={() => void save(failed.progress)}>
          {text.goOn}
        </Button>
        <Button kind="quiet" onClick={() => setFailed(null)}>
          {text.discard}
        </Button>
      </>
    );
  if (disabled) return <Button disabled>{text.export}</Button>;
  return (
    <Menu
      trigger={
        <button ref={button} type="button" className={buttonClass()}>
          {text.export}
        </button>
      }
      groups={[
        formats.map((format) => ({
          id: format,
          label: text.exportAs[format],
          run: () => void save({ filters, format, parts: [], entries: 0, before: undefined }),
        })),
      ]}
    />
  );
}

async function nextPart({ filters, format, parts, entries, before }: Progress, signal: AbortSignal): Promise<Progress> {
  const { content, next } = await client.audit.export.query({ ...filters, format, before }, { signal });
  const header = format === "csv" && before === undefined ? 1 : 0;
  return {
    filters,
    format,
    parts: [...parts, content],
    entries: entries + linesIn(content, format) - header,
    before: next ?? undefined,
  };
}

/** The rows of a table end with CR LF, which no cell has: line breaks in JSON are escaped. */
const linesIn = (content: string, format: (typeof formats)[number]) =>
  content.split(format === "csv" ? "\r\n" : "\n").length - 1;
