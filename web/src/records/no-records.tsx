import { FileText } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/page.tsx";
import { recordsWords } from "../words/records.ts";
import styles from "./records.module.css";

const text = recordsWords;

interface NoRecordsProps {
  /** Whether a filter hides them. */
  filtered: boolean;
  onClear: () => void;
  /** Null for people who may not add any. */
  onAdd: (() => void) | null;
  onPaste: () => void;
}

/** In place of a grid without rows. */
export function NoRecords({ filtered, onClear, onAdd, onPaste }: NoRecordsProps) {
  if (filtered) return <Empty title={text.noneFound} action={<Button onClick={onClear}>{text.clear}</Button>} />;
  const add = onAdd && (
    <div className={styles["choices"]}>
      <Button onClick={onAdd}>{text.add}</Button>
      <Button onClick={onPaste}>{text.paste}</Button>
    </div>
  );
  return (
    <Empty icon={<FileText aria-hidden />} title={text.emptyTitle} action={add}>
      {text.empty}
    </Empty>
  );
}
