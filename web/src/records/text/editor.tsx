import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, type Ref } from "react";
import { formatNumber } from "../../ui/format.ts";
import { zoneTextWords } from "../../words/zone-text.ts";
import styles from "./zone-text.module.css";

const text = zoneTextWords;
/** Pixels, as in the style: lines are found by their place. */
const lineHeight = 20;
const padding = 8;
/** The browser takes half a second to paste 10,000 lines into a field, and a moment to set its text. */
const longPaste = 20_000;

const signs = { create: "+", update: "~", error: "!" } as const;
export type LineMark = keyof typeof signs;

export interface EditorHandle {
  /** Selects a line and brings it into view. */
  goTo: (line: number) => void;
}

interface EditorProps {
  ref: Ref<EditorHandle>;
  value: string;
  onValue: (value: string) => void;
  readOnly: boolean;
  /** Whether the text is on its way. */
  isLoading: boolean;
  /** What there is to see at lines. */
  marks: ReadonlyMap<number, LineMark>;
  /** Returns whether a text of so many characters is taken. */
  takes: (characters: number) => boolean;
  onFile: (file: File) => void;
  /** Runs after a long text was pasted, which the browser cannot undo. Gets the text before. */
  onLongPaste: (before: string) => void;
  /** Runs at the key that reviews. */
  onEnter: () => void;
}

/** A field for a text of many lines, with their numbers. What is typed is the field's own: only another text is put there. */
export function Editor(props: EditorProps) {
  const { ref, value, onValue, readOnly, isLoading, marks, takes, onFile, onLongPaste, onEnter } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const typed = useRef<string | null>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const field = area.current;
    if (!field || typed.current === value) return;
    const { selectionStart, scrollTop } = field;
    field.value = value;
    typed.current = value;
    if (document.activeElement === field) field.setSelectionRange(selectionStart, selectionStart);
    field.scrollTop = scrollTop;
  }, [value]);
  useLayoutEffect(() => {
    const field = area.current;
    if (!field) return undefined;
    const sizes = new ResizeObserver(() => setHeight(field.clientHeight));
    sizes.observe(field);
    return () => sizes.disconnect();
  }, []);
  const count = useMemo(() => countLines(value), [value]);
  useImperativeHandle(ref, () => ({
    goTo: (line) => {
      const field = area.current;
      if (!field) return;
      const start = startOf(field.value, line);
      const end = field.value.indexOf("\n", start);
      field.focus();
      field.setSelectionRange(start, end === -1 ? field.value.length : end);
      field.scrollTop = Math.max(0, (line - 1) * lineHeight - field.clientHeight / 3);
      field.scrollLeft = 0;
      field.scrollIntoView({ block: "nearest" });
    },
  }));
  const take = (next: string) => {
    typed.current = next;
    onValue(next);
  };
  const first = Math.max(1, Math.floor((top - padding) / lineHeight) + 1);
  const last = Math.min(count, first + Math.ceil(height / lineHeight) + 1);
  return (
    <div className={styles["editor"]}>
      <div className={styles["gutter"]} aria-hidden>
        <div style={{ transform: `translateY(${padding + (first - 1) * lineHeight - top}px)` }}>
          {Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
            const line = first + index;
            const mark = marks.get(line);
            return (
              <div key={line} data-mark={mark}>
                <b>{mark && signs[mark]}</b>
                {formatNumber(line)}
              </div>
            );
          })}
        </div>
      </div>
      <textarea
        ref={area}
        aria-label={text.field}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        readOnly={readOnly}
        aria-busy={isLoading || undefined}
        placeholder={isLoading ? text.loading : undefined}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          onEnter();
        }}
        onInput={(event) => take(event.currentTarget.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text");
          const field = event.currentTarget;
          if (readOnly || pasted.length < longPaste) return;
          event.preventDefault();
          const { selectionStart, selectionEnd, value: before } = field;
          if (!takes(field.value.length - (selectionEnd - selectionStart) + pasted.length)) return;
          field.setRangeText(pasted.replaceAll(/\r\n?/g, "\n"), selectionStart, selectionEnd, "end");
          take(field.value);
          onLongPaste(before);
        }}
        onDragOver={(event) => {
          if (!readOnly && event.dataTransfer.types.includes("Files")) event.preventDefault();
        }}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (readOnly || !file) return;
          event.preventDefault();
          onFile(file);
        }}
      />
    </div>
  );
}

function countLines(value: string): number {
  let count = 1;
  for (let at = value.indexOf("\n"); at !== -1; at = value.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The place at which a line begins. */
function startOf(value: string, line: number): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const end = value.indexOf("\n", start);
    if (end === -1) return start;
    start = end + 1;
  }
  return start;
}
