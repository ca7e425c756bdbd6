import { expect, test } from 'vitest';
import type { AuditRow } from '../audit-store.ts';
import { eventOfRow, isEvent, toMessageId } from './webhook-events.ts';

function rowOf(row: Partial<AuditRow>): AuditRow {
  return {
    ...{
      number: 7,
      at: Date.UTC(2026, 0, 1),
      actor_kind: 'api-key',
      actor_id: 'key-1',
      action: 'lease.revoke',
    },
    ...{ target: null, client_ip: '192.0.2.1', request_id: 'r-1', outcome: 'done', code: null },
    ...{ affected: null, count: null, details: null, person: null },
    ...row,
  };
}

test.each([
  { leaseId: 'lease-1', viewerId: null, contentId: null },
  { leaseId: null, viewerId: 'ada of nowhere', contentId: null },
  { leaseId: null, viewerId: 'ada', contentId: 'film' },
])('a revocation is an event with what it names: %j', (names) => {
  const event = eventOfRow(rowOf({ affected: 3, details: JSON.stringify({ reason: 'left', names }) }));
  expect(event).toEqual({
    key: `audit 7 ${Date.UTC(2026, 0, 1)} r-1`,
    type: 'lease.revoked',
    at: Date.UTC(2026, 0, 1),
    data: {
      ...names,
      affected: 3,
      reason: 'left',
      auditId: '7',
      actor: { kind: 'api-key', id: 'key-1' },
      requestId: 'r-1',
    },
  });
});

test('a block of a viewer is the event of a revocation', () => {
  const names = { leaseId: null, viewerId: 'ada', contentId: null };
  const row = rowOf({ action: 'viewer.block', details: JSON.stringify({ reason: 'shared', names }) });
  expect(isEvent(row)).toBe(true);
  expect(eventOfRow(row)).toMatchObject({ type: 'lease.revoked', data: { ...names, reason: 'shared' } });
  expect(isEvent(rowOf({ action: 'viewer.unblock' }))).toBe(false);
});

test('a refusal at the limit of a viewer is an event with the viewer, the content and how often', () => {
  const row = { outcome: 'refused', code: 'LEASE_LIMIT_REACHED', action: 'lease.create' };
  const names = { leaseId: null, viewerId: 'ada', contentId: 'film' };
  const details = JSON.stringify({ names });
  const byKey = eventOfRow(rowOf({ ...row, count: 12, details }));
  expect(byKey).toMatchObject({ type: 'lease.limit-reached' });
  expect(byKey.data).toMatchObject({ viewerId: 'ada', contentId: 'film', count: 12 });
  const byViewer = eventOfRow(rowOf({ ...row, actor_kind: 'viewer', actor_id: 'bob' }));
  expect(byViewer.data).toMatchObject({ viewerId: 'bob', contentId: null, count: 1 });
});

test('a refused revocation and another act are no events', () => {
  expect(isEvent(rowOf({}))).toBe(true);
  expect(isEvent(rowOf({ outcome: 'refused', code: 'LEASE_NOT_FOUND' }))).toBe(false);
  expect(isEvent(rowOf({ action: 'lease.create' }))).toBe(false);
});

test('a message has the same id each time its event is found, and another one at each webhook', () => {
  expect(toMessageId('a', 'event')).toBe(toMessageId('a', 'event'));
  expect(toMessageId('a', 'event')).toMatch(/^msg_[A-Za-z0-9_-]{24}$/);
  expect(toMessageId('b', 'event')).not.toBe(toMessageId('a', 'event'));
});
