import { dnspodRefusal, startDnspodServer } from "../../support/vendors/dnspod/server.ts";
import { testFaults } from "../single-record-api/fault-suite.ts";

testFaults({
  kind: "dnspod",
  name: "DNSPod",
  creates: "CreateRecord",
  lists: "DescribeRecordList",
  throttled: [200, dnspodRefusal("RequestLimitExceeded", "The number of requests exceeds the frequency limit.")],
  broken: [500, dnspodRefusal("InternalError", "Internal error.")],
  refused: [200, dnspodRefusal("LimitExceeded.SubdomainRollLimit", "The number of load balances exceeds the limit.")],
  shortList: [200, { Response: { RecordCountInfo: { TotalCount: 7 }, RecordList: [], RequestId: "x" } }],
  async start(now) {
    const server = await startDnspodServer(now);
    const { url, secretId, secretKey, faults, calls, account } = server;
    return {
      config: { url, secretId, secretKey },
      faults,
      calls,
      served: (zone, name) =>
        account.records(zone).flatMap(({ Name, Type, Value }) => (Name === name ? [`${Type} ${Value}`] : [])),
      stop: () => server.stop(),
    };
  },
});
