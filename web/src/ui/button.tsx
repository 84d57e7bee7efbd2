import type { ComponentProps } from "react";
import styles from "./button.module.css";

export interface ButtonProps extends Omit<ComponentProps<"button">, "disabled"> {
  kind?: "plain" | "primary" | "quiet" | "danger";
  /** Looks and acts disabled, but keeps the focus. */
  disabled?: boolean;
  /** Whether its action is running: a second press does nothing. */
  pending?: boolean;
  /** Square, for an icon with `aria-label`. */
  icon?: boolean;
}

/** The class names of a button, for links that look like one. */
export function buttonClass(kind: NonNullable<ButtonProps["kind"]> = "plain", icon = false): string {
  return [styles["button"], kind !== "plain" && styles[kind], icon && styles["icon"]].filter(Boolean).join(" ");
}

export function Button({
  kind = "plain",
  disabled = false,
  pending = false,
  icon,
  onClick,
  className,
  ...props
}: ButtonProps) {
  const inactive = disabled || pending;
  return (
    <button
      type="button"
      {...props}
      className={`${buttonClass(kind, icon)} ${className ?? ""}`}
      aria-disabled={inactive || undefined}
      aria-busy={pending || undefined}
      onClick={(event) => {
        if (inactive) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
