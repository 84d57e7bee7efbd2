import { useEffect, useRef, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { accountWords } from "../words/account.ts";
import styles from "./account.module.css";
import secretsStyles from "./secrets.module.css";

interface FreshSecretProps {
  /** What it is, for assistive technology. */
  label: string;
  title: string;
  hint: string;
  secret: string;
  secretLabel?: string;
  onDone: () => void;
  /** How to use it. */
  children: ReactNode;
}

/** A new secret, which is shown only once. The keyboard goes on there. */
export function FreshSecret({ label, title, hint, secret, secretLabel, onDone, children }: FreshSecretProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section ref={box} className={secretsStyles["fresh"]} tabIndex={-1} aria-label={label}>
      <div>
        <strong>{title}</strong>
        <span className={styles["hint"]}>{hint}</span>
      </div>
      <div className={secretsStyles["secret"]}>
        <code aria-label={secretLabel}>{secret}</code>
        <CopyButton text={secret} />
        <Button onClick={onDone}>{accountWords.tokenDone}</Button>
      </div>
      {children}
    </section>
  );
}
