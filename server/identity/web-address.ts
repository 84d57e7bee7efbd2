/** Whether a text is an address that browsers and calls can be sent to: http or https, without credentials and without a fragment. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.hash === ""
  );
}
