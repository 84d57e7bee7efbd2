import { useId } from "react";
import { CopyButton } from "./copy-button.tsx";
import field from "./field.module.css";
import styles from "./copy-field.module.css";

interface CopyFieldProps {
  label: string;
  value: string;
  /** The label of the button. */
  copy: string;
}

/** A value to take elsewhere, with a button that copies it. */
export function CopyField({ label, value, copy }: CopyFieldProps) {
  const id = useId();
  return (
    <div className={styles["copy"]}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        readOnly
        value={value}
        className={`${field["input"]} ${field["mono"]}`}
        onFocus={(event) => event.target.select()}
      />
      <CopyButton text={value} label={copy} />
    </div>
  );
}
