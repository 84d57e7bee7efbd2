import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Notice } from "../../../server/platform/events.ts";
import { queries } from "../../../server/database/database.ts";
import type { Body } from "../../support/zones.ts";
import { Clock } from "../../support/clock.ts";
import { startHookServer, type HookServer } from "./hook-server.ts";
import { startMailServer, type MailServer } from "../../support/servers/mail-server.ts";
import { adminPassword, startZonewright, type Zonewright } from "../../support/zonewright.ts";

export const signingSecret = `whsec_${Buffer.from("a key of thirty-two bytes, exact").toString("base64")}`;

/** A service whose channels lead to servers of the test. Each test begins without channels. */
export class ChannelDesk {
  readonly clock = new Clock();
  zw!: Zonewright & { stop(): Promise<void> };
  hooks!: HookServer;
  mail!: MailServer;
  #names = 0;
  #ending = new AbortController();

  constructor(env: Record<string, string> = {}) {
    beforeAll(async () => {
      this.hooks = await startHookServer();
      this.mail = await startMailServer();
      this.zw = await startZonewright({
        env: {
          JOBS: "off",
          EGRESS_ALLOW: "127.0.0.1",
          SMTP_URL: this.mail.url,
          SITE_URL: "https://dns.example.org",
          ...env,
        },
        now: this.clock.now,
        // Nothing is due any longer.
        pause: async () => this.#ending.abort(),
      });
    });
    afterAll(async () => {
      await this.zw.stop();
      await this.hooks.stop();
      await this.mail.stop();
    });
    beforeEach(async () => {
      await queries(this.zw.services.database.fork()).deleteFrom("notification_channels").execute();
      await queries(this.zw.services.database.fork()).deleteFrom("deliveries").execute();
      await this.zw.admin.delete("/api/notifications");
      this.hooks.calls.length = 0;
      this.hooks.reply({});
      this.mail.mails.length = 0;
      this.mail.refuseWith(null);
    });
  }

  /** The fields of a new channel; the default is a webhook to the test's server. */
  body(parts: Body = {}): Body {
    return {
      channel: "webhook",
      name: `Channel ${++this.#names}`,
      config: { url: `${this.hooks.url}/hook`, secret: signingSecret },
      events: ["zone.drift"],
      enabled: true,
      ...parts,
    };
  }

  /** Advances the clock and signs the administrator in again, whose token has expired by then. */
  async later(milliseconds: number): Promise<void> {
    this.clock.advance(milliseconds);
    this.zw.admin.token = (await this.zw.signIn("admin", adminPassword)).token;
  }

  /** Lets hours pass in which the service runs. */
  async hoursPass(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour++) {
      this.clock.advance(3_600_000);
      await this.deliver();
    }
    await this.later(0);
  }

  async make(parts: Body = {}): Promise<Body> {
    const { status, body } = await this.zw.admin.post("/api/notifications", this.body(parts));
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  }

  async show(id: string): Promise<Body> {
    const { body } = await this.zw.admin.get("/api/notifications/configs");
    return body.configs.find((one: Body) => one.id === id);
  }

  async deliveries(id: string): Promise<Body[]> {
    return (await this.zw.admin.get(`/api/notifications/configs/${id}/deliveries`)).body.deliveries;
  }

  async tell(parts: Partial<Notice> = {}): Promise<void> {
    await this.zw.services.database.fork().transactional((tx) =>
      this.zw.services.notifications.notify(tx, {
        event: "zone.drift",
        title: "example.com differs from its provider",
        content: "A sync would add 1 record.",
        level: "warning",
        metadata: { domainId: "01a1fb0f-6204-7000-abd4-0000d0a10001", domainName: "example.com" },
        to: {},
        ...parts,
      }),
    );
  }

  /**
   * Delivers everything that is due now by HTTP calls and by mail.
   * @returns whether a run would have waited for something that is due soon
   */
  async deliver(): Promise<boolean> {
    let waits = false;
    const { deliverer, mailDeliverer } = this.zw.services;
    for (const one of [deliverer, mailDeliverer]) {
      this.#ending = new AbortController();
      await one.run(this.#ending.signal);
      waits ||= this.#ending.signal.aborted;
    }
    return waits;
  }
}
