import { interleaved } from "../support/measure.ts";
import type { Figure } from "../support/report.ts";
import { manyAddresses, UdpClient } from "./udp-client.ts";

const inFlight = 32;
const milliseconds = 2_000;

interface Target {
  port: number;
  zone: string;
}

/** Measures queries for the SOA by UDP, each sent when another was answered. */
export async function measureSoaQueries(ours: Target, bind: Target): Promise<Figure> {
  const udp = await UdpClient.open(manyAddresses);
  try {
    const {
      ours: measured,
      baseline,
      ratio,
      spread,
    } = await interleaved(
      5,
      () => perSecond(udp, ours),
      () => perSecond(udp, bind),
    );
    return {
      what: `SOA queries by UDP, ${inFlight} in flight`,
      measured: `${Math.round(measured)}/s`,
      baseline: `${Math.round(baseline)}/s from BIND with one thread, by the same client, which takes a share of the two cores`,
      ratio,
      spread,
      goal: null,
    };
  } finally {
    udp.close();
  }
}

async function perSecond(udp: UdpClient, { port, zone }: Target): Promise<number> {
  let answered = 0;
  const start = performance.now();
  const lane = async () => {
    while (performance.now() - start < milliseconds) {
      const { rcode, answers } = await udp.ask(port, zone, "SOA");
      if (rcode !== 0 || answers !== 1) throw new Error(`the SOA of ${zone} was answered ${rcode}`);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (answered * 1_000) / (performance.now() - start);
}
