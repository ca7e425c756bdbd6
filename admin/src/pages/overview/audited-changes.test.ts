import { expect, it } from 'vitest';
import type { AuthorityChange } from '../../api/resources.ts';
import type { AuditRecord } from '../../api/schema.ts';
import { describeChange, isRevocation, matchAuditRecords } from './audited-changes.ts';

const at = '2026-01-31T12:00:00.123Z';
const change = (number: number, part: Partial<AuthorityChange>): AuthorityChange => ({
  number,
  at,
  kind: 'api-key',
  leaseId: null,
  viewerId: null,
  contentId: null,
  slowestMs: 20,
  reached: [],
  pending: [],
  ...part,
});
const record = (id: string, action: string, target: string, part: Partial<AuditRecord> = {}) =>
  ({ id, at, action, target, outcome: 'done', ...part }) as AuditRecord;

it.each([
  ['api-key.create', 'An API key was created', false],
  ['api-key.rotate', 'An API key was rotated', false],
  ['api-key.revoke', 'An API key was revoked', true],
])('a key change by the action %s is described by that action', (action, words, isTaking) => {
  const [joined] = matchAuditRecords([change(1, {})], [record('7', action, 'key-1')]);
  expect(joined?.audited?.target).toBe('key-1');
  expect(joined && describeChange(joined)).toBe(words);
  expect(joined && isRevocation(joined)).toBe(isTaking);
});

it.each([
  ['content.create', 'A content was registered', false],
  ['content.update', 'A content was changed', false],
  ['content.disable', 'A content was disabled', true],
])(
  'a content change by the action %s is described by that action, for its own content only',
  (action, words, isTaking) => {
    const changes = [change(1, { kind: 'content', contentId: 'film' })];
    const [joined] = matchAuditRecords(changes, [
      record('8', 'content.update', 'other'),
      record('7', action, 'film'),
    ]);
    expect(joined && describeChange(joined)).toBe(words);
    expect(joined && isRevocation(joined)).toBe(isTaking);
  },
);

it('a change without an audit record is described as a change', () => {
  const others = [
    record('1', 'api-key.revoke', 'key-1', { at: '2026-01-31T12:00:00.124Z' }),
    record('2', 'api-key.revoke', 'key-1', { outcome: 'refused' }),
    record('3', 'content.update', 'key-1'),
  ];
  const [joined] = matchAuditRecords([change(1, {})], others);
  expect(joined && describeChange(joined)).toBe('An API key was changed');
});

it('a rotation, which changes two keys, is shown once, with the later effect', () => {
  const changes = [change(2, { slowestMs: 10 }), change(1, { slowestMs: 30 })];
  const joined = matchAuditRecords(changes, [record('7', 'api-key.rotate', 'key-1')]);
  expect(joined.map(({ number }) => number)).toEqual([1]);
});

it('a viewer whose ID looks like an act on others is joined with its own action alone', () => {
  const changes = [change(1, { kind: 'leases', viewerId: 'eve content:film' })];
  const [other] = matchAuditRecords(changes, [record('7', 'mark.lift', 'viewer:eve content:film')]);
  expect(other?.audited).toBeUndefined();
  const [own] = matchAuditRecords(changes, [record('7', 'mark.lift', 'viewer:"eve content:film"')]);
  expect(own?.audited).toMatchObject({ action: 'mark.lift' });
});

it('a mark that was lifted is not shown as a revocation', () => {
  const changes = [change(1, { kind: 'leases', viewerId: 'ada' })];
  const [lifted] = matchAuditRecords(changes, [record('7', 'mark.lift', 'viewer:ada')]);
  expect(lifted && describeChange(lifted)).toBe('A mark was lifted');
  expect(lifted && isRevocation(lifted)).toBe(false);
  const [revoked] = matchAuditRecords(changes, [record('7', 'lease.revoke', 'viewer:ada')]);
  expect(revoked && describeChange(revoked)).toBe('The leases of a viewer were revoked');
  expect(revoked && isRevocation(revoked)).toBe(true);
});
