import { alidnsRefusal, startAlidnsServer } from "../../support/vendors/alidns/server.ts";
import { testFaults } from "../single-record-api/fault-suite.ts";

testFaults({
  kind: "alidns",
  name: "Alibaba Cloud DNS",
  creates: "AddDomainRecord",
  lists: "DescribeDomainRecords",
  throttled: [400, alidnsRefusal("Throttling.User", "Request was denied due to user flow control.")],
  broken: [500, alidnsRefusal("InternalError", "The request processing has failed due to some unknown error.")],
  refused: [400, alidnsRefusal("QuotaExceeded.Record", "You can't add this domain record.")],
  shortList: [200, { TotalCount: 7, PageNumber: 1, PageSize: 500, DomainRecords: { Record: [] } }],
  async start(now) {
    const server = await startAlidnsServer(now);
    const { url, accessKeyId, accessKeySecret, faults, calls, account } = server;
    return {
      config: { url, accessKeyId, accessKeySecret },
      faults,
      calls,
      served: (zone, name) =>
        account.records(zone).flatMap(({ RR, Type, Value }) => (RR === name ? [`${Type} ${Value}`] : [])),
      stop: () => server.stop(),
    };
  },
});
