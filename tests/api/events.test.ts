import { eventually } from '@latchkey/support/black-box/eventually';
import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
  revokeApiKey,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { afterEach, expect, it } from 'vitest';
import { type EventStream, openEvents } from './event-stream.ts';

const target = await openTarget();
const opened: EventStream[] = [];

async function open(credential = target.adminApiKey): Promise<EventStream> {
  const stream = await openEvents(target.url, credential);
  opened.push(stream);
  return stream;
}

afterEach(() => {
  for (const stream of opened.splice(0)) stream.close();
});

/** Waits for an event of that name whose data contains the text. */
const arrives = (stream: EventStream, event: string, text: string) =>
  eventually(() => {
    const names = stream.events
      .filter(({ data }) => JSON.stringify(data).includes(text))
      .map((found) => found.event);
    expect(names).toContain(event);
  });

it('the event stream has the type of server-sent events and is not cached', async () => {
  const { headers } = await open();
  expect(headers['content-type']).toMatch(/^text\/event-stream/);
  expect(headers['cache-control']).toMatch(/no-store|no-cache/);
  expect(headers['x-request-id']).toBeTruthy();
});

it('every open event stream receives events about leases, API keys, contents and the audit', async () => {
  const streams = [await open(), await open((await createApiKey(target, 'full')).raw)];
  const { id } = await createApiKey(target, 'upload');
  const contentId = await registerContent(target);
  const scene = { ...(await makeScene(target)), contentId };
  const leaseId = await createLease(target, scene);
  for (const stream of streams) {
    await arrives(stream, 'api-key', id);
    await arrives(stream, 'content', contentId);
    await arrives(stream, 'lease', leaseId);
    await arrives(stream, 'audit', contentId);
  }
  await revokeLeases(target, { leaseId });
  const path = `/api/v1/content/${contentId}`;
  await target.client.call('PATCH', path, { as: target.adminApiKey, json: { name: 'Changed' } });
  await target.client.call('DELETE', path, { as: target.adminApiKey });
  for (const stream of streams) {
    await eventually(() => {
      const ofContent = stream.events.filter(({ data }) => data.data?.id === contentId);
      expect(ofContent.map(({ data }) => data.event)).toEqual(['created', 'updated', 'disabled']);
    });
    await eventually(() => {
      const revoked = stream.events.filter(
        ({ event, data }) => event === 'lease' && data.event === 'revoked',
      );
      expect(JSON.stringify(revoked)).toContain(leaseId);
    });
  }
});

it('the event stream shows no credential', async () => {
  const stream = await open();
  const { id, raw } = await createApiKey(target, 'upload');
  await arrives(stream, 'api-key', id);
  expect(JSON.stringify(stream.events)).not.toContain(raw);
});

it('the event stream ends when its API key is revoked', async () => {
  const { id, raw } = await createApiKey(target, 'full');
  const stream = await open(raw);
  expect(stream.ended()).toBe(false);
  await revokeApiKey(target, id);
  await eventually(() => expect(stream.ended()).toBe(true));
});
