import { createMetrics } from '@latchkey/shared/metrics';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, test } from 'vitest';
import { listRefusals } from './process-figures.ts';

test('the latest refusals of every replica are listed, and one that was forwarded is listed once, by who refused it', () => {
  const clock = createManualClock();
  const refusal = (requestId: string, contentId: string | null) => ({
    ...{ kind: 'key' as const, status: 403, code: 'LEASE_REVOKED', viewerId: 'ada', apiKeyId: null },
    ...{ contentId, epoch: null, leaseId: null, clientIp: '192.0.2.1', requestId },
  });
  const processes = ['gateway', 'one', 'two'].map((address) => {
    const { statistics } = createMetrics(clock);
    return { statistics, service: address === 'gateway' ? 'gateway' : 'key-derivation', address };
  });
  const note = (place: number, requestId: string, contentId = 'film') => {
    clock.advance(1);
    processes[place]?.statistics.noteRefusal(refusal(requestId, contentId));
  };
  note(1, 'a');
  note(0, 'a');
  note(2, 'b');
  note(0, 'own');
  // Packagers and tests may send one request id with each request.
  note(2, 'b', 'other film');
  const reports = processes.map(({ statistics, ...named }) => ({
    ...named,
    report: statistics.report(0, 10),
  }));
  const shown = listRefusals(reports as never, 10).map((listed) => [
    listed.requestId,
    listed.process,
    listed.contentId,
  ]);
  expect(shown).toEqual([
    ['b', 'key-derivation two', 'other film'],
    ['own', 'gateway gateway', 'film'],
    ['b', 'key-derivation two', 'film'],
    ['a', 'key-derivation one', 'film'],
  ]);
  expect(listRefusals(reports as never, 1)).toHaveLength(1);
});
