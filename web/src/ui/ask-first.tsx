import { useRef, type ReactNode } from "react";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface AskFirstProps {
  title: string;
  /** What ends. */
  children: ReactNode;
  /** The label of the button that goes on. */
  action: string;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something is lost. It closes before the action starts, which may open the dialog that confirms the session. */
export function AskFirst({ title, children, action, onConfirm, onClose }: AskFirstProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      initialFocus={cancel}
      footer={
        <>
          <Button ref={cancel} onClick={onClose}>
            {words.ui.cancel}
          </Button>
          <Button
            kind="danger"
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
