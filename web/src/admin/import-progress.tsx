import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatNumber } from "../ui/format.ts";
import { adminWords } from "../words/admin.ts";
import type { ImportState } from "./import-run.ts";
import styles from "./admin.module.css";
import importProgressStyles from "./import-progress.module.css";

const text = adminWords.zones;

interface ImportProgressProps {
  state: ImportState;
  stopping: boolean;
  /** Absent if the service imports in the background. */
  onStop: (() => void) | null;
}

/** How an import stands, and where to go when it is done. */
export function ImportProgress({ state, stopping, onStop }: ImportProgressProps) {
  const { total, done, running, imported, failures, unknown } = state;
  const next = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // The keyboard goes on where the import leads.
    if (!running) next.current?.focus();
  }, [running]);
  const [first] = imported;
  return (
    <section
      className={importProgressStyles["progress"]}
      aria-label={running ? text.running : text.done(imported.length)}
    >
      <div>
        <span role="status">
          {running ? text.progress(formatNumber(done), formatNumber(total)) : text.done(imported.length)}
          {!running && done < total ? ` ${text.stopped}` : ""}
        </span>
        {running && onStop ? (
          <Button className={styles["push"]} disabled={stopping} onClick={onStop}>
            {stopping ? text.stopping : text.stop}
          </Button>
        ) : null}
        {!running && imported.length === 1 && first !== undefined ? (
          <Link
            ref={next}
            to="/d/$name/records"
            params={{ name: first }}
            className={`${buttonClass("primary")} ${styles["push"]}`}
          >
            {text.open(first)}
          </Link>
        ) : null}
        {!running && imported.length > 1 ? (
          <Link ref={next} to="/" className={`${buttonClass("primary")} ${styles["push"]}`}>
            {text.openAll}
          </Link>
        ) : null}
      </div>
      {running ? <progress className={styles["bar"]} aria-label={text.running} value={done} max={total || 1} /> : null}
      {unknown.length > 0 ? (
        <div role="alert">
          <p>{text.unknown(unknown.length)}</p>
          <ul className={importProgressStyles["failures"]} aria-label={text.unknown(unknown.length)}>
            {unknown.slice(0, 200).map((name) => (
              <li key={name}>
                <strong>{name}</strong>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {failures.length > 0 ? (
        <div role="alert">
          <p className={styles["bad"]}>{text.failed(failures.length)}</p>
          <ul className={importProgressStyles["failures"]} aria-label={text.failed(failures.length)}>
            {failures.slice(0, 200).map(({ name, error }) => (
              <li key={name}>
                <strong>{name}</strong> {error}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </section>
  );
}
