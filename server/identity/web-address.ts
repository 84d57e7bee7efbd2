/** Returns whether a text is an http or https URL without credentials and fragment. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
  );
}
