import { useEffect, useId, useRef, type ComponentProps, type ReactNode } from "react";
import styles from "./field.module.css";

interface Described {
  label: ReactNode;
  /** Shown below the field. */
  hint?: ReactNode;
  /** What is wrong; replaces the hint. */
  error?: string | null | undefined;
}

interface ControlProps {
  id: string;
  className: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
}

/** A label, a control and what is to be said about it. */
export function Field({
  label,
  hint,
  error,
  children,
}: Described & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  const described = note ? { "aria-describedby": `${id}-note` } : {};
  const invalid = error ? ({ "aria-invalid": true } as const) : {};
  return (
    <div className={styles["field"]}>
      <label className={styles["label"]} htmlFor={id}>
        {label}
      </label>
      {children({ id, className: styles["input"] ?? "", ...described, ...invalid })}
      {note ? (
        <span id={`${id}-note`} className={error ? styles["error"] : styles["hint"]} role={error ? "alert" : undefined}>
          {note}
        </span>
      ) : null}
    </div>
  );
}

type InputProps = Described &
  Omit<ComponentProps<"input">, "id" | "onChange"> & { onValue: (value: string) => void; mono?: boolean };

/** A text field. */
export function TextField({ label, hint, error, onValue, mono, ...props }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...props}
          {...control}
          className={mono ? `${control.className} ${styles["mono"]}` : control.className}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

type AreaProps = Described &
  Omit<ComponentProps<"textarea">, "id" | "onChange"> & { onValue: (value: string) => void; mono?: boolean };

/** A field of several lines. */
export function TextArea({ label, hint, error, onValue, mono, ...props }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          spellCheck={false}
          {...props}
          {...control}
          className={mono ? `${control.className} ${styles["mono"]}` : control.className}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

type SelectProps<Value extends string> = Described &
  Omit<ComponentProps<"select">, "id" | "onChange" | "value"> & {
    value: Value;
    options: readonly { value: Value; label: string }[];
    onValue: (value: Value) => void;
  };

/** A choice of one. */
export function SelectField<Value extends string>({
  label,
  hint,
  error,
  options,
  onValue,
  ...props
}: SelectProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select {...props} {...control} onChange={(event) => onValue(event.target.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckProps = Omit<ComponentProps<"input">, "type" | "onChange"> & {
  label: ReactNode;
  onValue: (checked: boolean) => void;
};

/** A switch of two states, with its label beside it. */
export function CheckField({ label, onValue, ...props }: CheckProps) {
  return (
    <label className={styles["check"]}>
      <input type="checkbox" {...props} onChange={(event) => onValue(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** A form whose submission calls `onSubmit` instead of leaving the page. The first field that is refused takes the focus. */
export function Form({ onSubmit, ...props }: Omit<ComponentProps<"form">, "onSubmit"> & { onSubmit: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  /** Whether an answer is awaited. */
  const isSubmitted = useRef(false);
  useEffect(() => {
    const refused = isSubmitted.current ? form.current?.querySelector<HTMLElement>("[aria-invalid=true]") : null;
    if (!refused) return;
    isSubmitted.current = false;
    refused.focus();
  });
  return (
    <form
      noValidate
      {...props}
      ref={form}
      className={`${styles["form"]} ${props.className ?? ""}`}
      onInput={() => {
        isSubmitted.current = false;
      }}
      onSubmit={(event) => {
        event.preventDefault();
        isSubmitted.current = true;
        onSubmit();
      }}
    />
  );
}
