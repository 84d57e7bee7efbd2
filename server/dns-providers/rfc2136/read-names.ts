import { absoluteName } from "../../names/names.ts";
import { queryMessage, types, type WireMessage } from "./messages.ts";
import { ServedRecords, type ServedRecord } from "./served-records.ts";
import type { NameServerSession } from "./session.ts";

/** With more names than this, a transfer is quicker than a question for each. */
const mostQuestions = 500;

/**
 * The records of some names by asking for them; null when an answer need not be what the zone holds: below a delegation, under a DNAME, or
 * from a server that does not tell all (RFC 8482). A wildcard's records cannot be told from a name's own, so this is a guess that the
 * prerequisites of an update put to the test. @throws ProviderError
 */
export async function guessNames(
  session: NameServerSession,
  zone: string,
  names: readonly string[],
): Promise<ServedRecord[] | null> {
  if (names.length > mostQuestions) return null;
  const absolute = names.map((name) => absoluteName(name, zone));
  const answers = await session.ask(
    absolute.map((name) => (id) => queryMessage(id, name, "ANY")),
    "none",
  );
  if (!answers.every((answer, index) => isPlain(answer, absolute[index]))) return null;
  const served = new ServedRecords(zone);
  for (const answer of answers) for (const record of answer.answers) served.add(answer, record);
  return served.all();
}

/** The records of some names as the zone holds them, from a transfer of all of it. @throws ProviderError */
export async function transferNames(
  session: NameServerSession,
  zone: string,
  names: readonly string[],
): Promise<ServedRecord[]> {
  const wanted = new Set(names.map((name) => absoluteName(name, zone)));
  const served = new ServedRecords(zone);
  for await (const message of session.transfer(zone)) {
    for (const record of message.answers) if (wanted.has(record.name)) served.add(message, record);
  }
  return served.all();
}

function isPlain(answer: WireMessage, name: string | undefined): boolean {
  if (!answer.authoritative || answer.truncated || (answer.rcode !== 0 && answer.rcode !== 3)) return false;
  // RFC 8482 §4.2: one made-up HINFO in place of everything.
  return answer.answers.every((record) => record.name === name && record.type !== types.hinfo);
}
