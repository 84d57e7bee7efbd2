import { Copy } from "lucide-react";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { toast } from "./toast.tsx";

interface CopyButtonProps {
  text: string;
  label?: string;
}

/** Copies a text. Browsers allow it only over HTTPS or on localhost; elsewhere it says so. */
export function CopyButton({ text, label = words.ui.copy }: CopyButtonProps) {
  const copy = async () => {
    // The types promise a clipboard that pages on plain HTTP do not have.
    const clipboard: Clipboard | undefined = navigator.clipboard;
    const copied = await clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    toast({ title: copied ? words.ui.copied : words.ui.copyFailed });
  };
  return (
    <Button onClick={() => void copy()}>
      <Copy aria-hidden /> {label}
    </Button>
  );
}
