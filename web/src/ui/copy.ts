/**
 * Copies a text. The clipboard of today needs HTTPS or localhost; elsewhere the older command copies what is selected.
 * @returns whether it was copied
 */
export async function copyText(text: string): Promise<boolean> {
  // The types promise a clipboard that pages on plain HTTP do not have.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  const copied = clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return (await copied) ?? copySelected(text);
}

function copySelected(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "sr";
  // A dialog that is open lets nothing outside it have the focus.
  (before?.closest("[role=dialog]") ?? document.body).append(area);
  area.select();
  // Deprecated, and the only way without a secure context.
  // oxlint-disable-next-line typescript/no-deprecated
  const copied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return copied;
}
