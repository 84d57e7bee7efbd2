import { Copy } from "lucide-react";
import { words } from "../words/words.ts";
import { Button } from "./button.tsx";
import { copyText } from "./copy.ts";
import { toast } from "./toast.tsx";

interface CopyButtonProps {
  text: string;
  label?: string;
}

/** Copies a text, and says whether it did. */
export function CopyButton({ text, label = words.ui.copy }: CopyButtonProps) {
  const copy = async () => {
    toast({ title: (await copyText(text)) ? words.ui.copied : words.ui.copyFailed });
  };
  return (
    <Button onClick={() => void copy()}>
      <Copy aria-hidden /> {label}
    </Button>
  );
}
