import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { createOperatorLog, createRepeatedWarnings } from './operator-log.ts';

function open() {
  const clock = createManualClock();
  const lines: string[] = [];
  const warn = createRepeatedWarnings(
    {
      warn: (message, { error, ...facts } = {}) =>
        void lines.push(`${message}: ${(error as Error).message} ${JSON.stringify(facts)}`),
    },
    clock,
  );
  return { clock, lines, warn };
}
const lost = new Error('refused');

test('a repeated warning is logged once a minute, with the number of repetitions', () => {
  const { clock, lines, warn } = open();
  for (let second = 0; second <= 60; second++) {
    warn('leases did not answer', lost);
    clock.advance(1_000);
  }
  expect(lines).toEqual([
    'leases did not answer: refused {}',
    'leases did not answer: refused {"repeatedSinceLastLine":59}',
  ]);
});

test('a warning with another reason, cause or message is logged at once', () => {
  const { lines, warn } = open();
  warn('leases did not answer', lost);
  warn('auth did not answer', lost);
  warn('leases did not answer', new Error('too slow'));
  warn('leases did not answer', new Error('refused', { cause: new Error('the port is closed') }));
  warn('leases did not answer', lost);
  expect(lines).toHaveLength(4);
});

test('the number of remembered warning reasons is limited', () => {
  const { lines, warn } = open();
  for (let round = 0; round < 2; round++)
    for (let port = 0; port < 1_000; port++) warn('refused', new Error(String(port)));
  expect(lines).toHaveLength(2_000);
});

test('a line names the trace of the request that it is written for, unless it names one itself', () => {
  const lines: Record<string, unknown>[] = [];
  const log = createOperatorLog({
    level: 'info',
    format: 'json',
    write: (text) => void lines.push(JSON.parse(text)),
  });
  let current: string | null = 'a';
  log.warn('before');
  log.nameTraces?.(() => current);
  log.warn('within', { error: lost });
  log.error('of another', { traceId: 'b' });
  current = null;
  log.info('outside');
  expect(lines.map(({ msg, traceId }) => [msg, traceId])).toEqual([
    ['before', undefined],
    ['within', 'a'],
    ['of another', 'b'],
    ['outside', undefined],
  ]);
});

test.each([
  ['silent', ''],
  ['warn', 'warning: late by=2\n'],
])('at a terminal, LOG_LEVEL=%s shows the lines of its level and above', (level, shown) => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createOperatorLog({ level, format: 'plain', write });
  log.info('serves');
  log.warn('late', { by: 2 });
  expect(lines.join('')).toBe(shown);
});
