/** `change`: an update. `transfer`: a reading of the whole zone. `question`: anything else. */
export type RequestKind = "change" | "transfer" | "question";

/** Finds the first whole request in what a client has sent; null while it is not complete. */
export type Wire = (sent: Buffer) => { length: number; kind: RequestKind } | null;

/** DNS over TCP: messages with their length in front (RFC 1035 §4.2.2). */
export const dnsWire: Wire = (sent) => {
  const length = sent.length < 2 ? Infinity : 2 + sent.readUInt16BE(0);
  return sent.length < length ? null : { length, kind: kindOfMessage(sent.subarray(2, length)) };
};

function kindOfMessage(message: Buffer): RequestKind {
  const opcode = (message.readUInt8(2) >> 3) & 15;
  if (opcode === 5) return "change";
  let position = 12;
  while (message.readUInt8(position) !== 0) position += 1 + message.readUInt8(position);
  return message.readUInt16BE(position + 1) === 252 ? "transfer" : "question";
}

/** PowerDNS's API over HTTP/1.1, requests with a `content-length` or without a body. */
export const powerdnsWire: Wire = (sent) => {
  const end = sent.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const head = sent.toString("latin1", 0, end);
  const [, body = "0"] = /^content-length: *(\d+)/im.exec(head) ?? [];
  const length = end + 4 + Number(body);
  if (sent.length < length) return null;
  if (head.startsWith("PATCH ")) return { length, kind: "change" };
  return { length, kind: /^GET \S*\/zones\/[^?\s]+ /.test(head) ? "transfer" : "question" };
};
