import type { Alert } from '@latchkey/shared/contracts';
import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteAlerts } from './note-alerts.ts';
import { openWebhooks, type WebhookFixture } from './webhook.fixture.ts';

const alertOf = (id: string): Alert => ({ id, severity: 'bad', title: `${id} is down`, advice: 'Look.' });
const events = JSON.stringify(['alert.started', 'alert.ended']);
const minuteMs = 60_000;

describe.each(databaseKinds(process.env))('alerts on $name', (kind) => {
  let hooks: WebhookFixture;
  beforeEach(async () => {
    hooks = await openWebhooks(kind);
  });
  afterEach(() => hooks.close());

  const report = (...ids: string[]) => noteAlerts(hooks.db, ids.map(alertOf), hooks.clock.now(), () => {});
  const sent = async () => {
    const rows = await hooks.db
      .selectFrom('webhook_deliveries')
      .select('payload')
      .orderBy('created_at')
      .orderBy('type')
      .execute();
    return rows.map(({ payload }) => {
      const { type, data } = JSON.parse(payload);
      return `${type} ${data.alert.id}`;
    });
  };

  it('a problem that several gateways report again and again is one start and one end', async () => {
    await hooks.add({ events });
    await Promise.all([report('bus'), report('bus'), report('bus')]);
    hooks.clock.advance(minuteMs);
    await report('bus');
    // Another gateway does not see it, or its figure was below the limit for a moment.
    hooks.clock.advance(minuteMs);
    await report();
    expect(await sent()).toEqual(['alert.started bus']);
    hooks.clock.advance(minuteMs);
    await Promise.all([report(), report()]);
    expect(await sent()).toEqual(['alert.started bus', 'alert.ended bus']);
    hooks.clock.advance(minuteMs);
    await report('bus');
    expect(await sent()).toEqual(['alert.started bus', 'alert.ended bus', 'alert.started bus']);
  });

  it('while no gateway reports, no alert ends', async () => {
    await hooks.add({ events });
    await report('bus');
    hooks.clock.advance(60 * minuteMs);
    await report('bus');
    expect(await sent()).toEqual(['alert.started bus']);
  });

  it('the first webhook that wants alerts gets the alerts that are under way, and no end of an earlier one', async () => {
    await hooks.add();
    await report('bus', 'database');
    hooks.clock.advance(5 * minuteMs);
    await hooks.add({ events });
    await report('bus', 'cache');
    expect((await sent()).sort()).toEqual(['alert.started bus', 'alert.started cache']);
  });
});
