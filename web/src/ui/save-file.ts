/** Hands a text to the person as a file. */
export function saveFile(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has the content once the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
