import { Dialog as Base } from "@base-ui/react/dialog";
import type { DialogProps } from "./dialog.tsx";
import styles from "./dialog.module.css";

/** The dialog itself, in a chunk of its own. */
export function DialogPopup({
  open,
  onClose,
  title,
  description,
  footer,
  wide,
  initialFocus,
  children,
  onKeyDown,
}: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles["veil"]} />
        <Base.Popup
          className={`${styles["popup"]} ${wide ? styles["wide"] : ""}`}
          onKeyDown={onKeyDown}
          {...(initialFocus === undefined ? {} : { initialFocus })}
        >
          <header className={styles["head"]}>
            <Base.Title>{title}</Base.Title>
            {description ? <Base.Description>{description}</Base.Description> : null}
          </header>
          {/* Scrollable, so the keyboard must reach it. */}
          <div className={styles["body"]} tabIndex={-1}>
            {children}
          </div>
          {footer ? <footer className={styles["foot"]}>{footer}</footer> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
