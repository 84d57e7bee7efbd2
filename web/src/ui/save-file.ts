/** Hands a text to the person as a file. @param content the text, or its parts */
export function saveFile(name: string, content: string | readonly string[]): void {
  const url = URL.createObjectURL(new Blob([content].flat(), { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has the content once the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
