import { Dialog as Base } from "@base-ui/react/dialog";
import type { ComponentProps, ReactNode, RefObject } from "react";
import styles from "./dialog.module.css";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  /** What the buttons led to, beside them: it stays in view while the content scrolls. */
  alert?: ReactNode;
  /** What must stay in view while the content scrolls, such as a field that the buttons need. */
  pinned?: ReactNode;
  /** Buttons; the main one last. */
  footer?: ReactNode;
  wide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  children?: ReactNode;
  onKeyDown?: ComponentProps<"div">["onKeyDown"];
}

/** The dialog itself, in a chunk of its own. */
export function DialogPopup({
  open,
  onClose,
  title,
  description,
  alert,
  pinned,
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
          {/* It may scroll, so the keyboard must reach it; where there are no buttons, by Tab. */}
          <div className={styles["body"]} tabIndex={footer ? -1 : 0}>
            {children}
          </div>
          {pinned ? <div className={styles["pinned"]}>{pinned}</div> : null}
          {alert ? <div className={styles["alert"]}>{alert}</div> : null}
          {footer ? <footer className={styles["foot"]}>{footer}</footer> : null}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
