import type { RouterInputs } from "@zonewright/client";
import { useRef, useState } from "react";
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

interface AuditExportProps {
  filters: Omit<RouterInputs["audit"]["export"], "format" | "before">;
  disabled: boolean;
}

/** Saves what the filters find as a file. A long trail is read in parts, and can be stopped. */
export function AuditExport({ filters, disabled }: AuditExportProps) {
  /** How many entries were read; null while none are. */
  const [read, setRead] = useState<number | null>(null);
  const stopping = useRef<AbortController | null>(null);
  const save = async (format: (typeof formats)[number]) => {
    if (stopping.current) return;
    const abort = new AbortController();
    stopping.current = abort;
    const parts: string[] = [];
    let [entries, before]: [number, string | undefined] = [0, undefined];
    setRead(0);
    try {
      do {
        const { content, next } = await client.audit.export.query(
          { ...filters, format, before },
          { signal: abort.signal },
        );
        parts.push(content);
        entries += linesIn(content, format) - (format === "csv" && before === undefined ? 1 : 0);
        before = next ?? undefined;
        setRead(entries);
      } while (before !== undefined && entries < most);
      saveFile(`audit.${format}`, parts);
      const number = formatNumber(entries);
      toast({ title: before === undefined ? text.exported(number) : text.exportedFirst(number) });
    } catch (error) {
      toast({ title: abort.signal.aborted ? text.stopped : messageOf(error) });
    } finally {
      stopping.current = null;
      setRead(null);
    }
  };
  if (read !== null)
    return (
      <>
        <span role="status" className={styles["lead"]}>
          {text.exporting(formatNumber(read))}
        </span>
        <Button onClick={() => stopping.current?.abort()}>{text.stop}</Button>
      </>
    );
  return (
    <Menu
      trigger={
        <button type="button" className={buttonClass()} aria-disabled={disabled || undefined}>
          {text.export}
        </button>
      }
      groups={[formats.map((format) => ({ id: format, label: text.exportAs[format], run: () => void save(format) }))]}
    />
  );
}

/** The rows of a table end with CR LF, which no cell has: line breaks in JSON are escaped. */
const linesIn = (content: string, format: (typeof formats)[number]) =>
  content.split(format === "csv" ? "\r\n" : "\n").length - 1;
