import { expect, test } from 'vitest';
import type { AuditRecord } from '../../api/schema.ts';
import { mergeHistory } from './use-newest-records.ts';

const record = (id: string): AuditRecord => ({
  ...{ id, at: '2026-01-01T00:00:00.000Z', actor: { kind: 'system', id: null }, action: 'content.update' },
  ...{ target: null, clientIp: null, requestId: null, outcome: 'done', code: null, affected: null },
  ...{ count: 1, details: null, person: null },
});
const idsOf = (records: AuditRecord[]) => records.map(({ id }) => id);

test('records of several lists come newest first, each once, and no more than asked for', () => {
  const lists = [[record('10'), record('2')], [record('11'), record('10'), record('9')], []];
  expect(idsOf(mergeHistory(lists, 10))).toEqual(['11', '10', '9', '2']);
  expect(idsOf(mergeHistory(lists, 2))).toEqual(['11', '10']);
  expect(mergeHistory([[], []], 10)).toEqual([]);
});
