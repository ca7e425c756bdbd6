import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { createRedisOutage } from './redis-connection.ts';

function create() {
  const reported: string[] = [];
  const outage = createRedisOutage(({ message }) => void reported.push(message));
  return { outage, reported };
}

test('a Redis outage is reported once, with its first reason, and so is the next one', () => {
  const { outage, reported } = create();
  for (const reason of ['connect ECONNREFUSED', 'connect ETIMEDOUT', 'connect ECONNREFUSED'])
    outage.report(new Error(reason));
  outage.end();
  outage.report(new Error('read ECONNRESET'));
  expect(reported).toEqual(['connect ECONNREFUSED', 'read ECONNRESET']);
});

test('a Redis that starts but refuses is reported once for each reason', () => {
  const { outage, reported } = create();
  outage.report(new Error('connect ECONNREFUSED'));
  for (let n = 0; n < 3; n++) {
    outage.report(new ReplyError('ERR invalid password'));
    outage.report(new ReplyError('NOAUTH Authentication required.'));
  }
  expect(reported).toEqual([
    'connect ECONNREFUSED',
    'ERR invalid password',
    'NOAUTH Authentication required.',
  ]);
});

test('Redis refusals that differ each time do not flood the log', () => {
  const { outage, reported } = create();
  for (let n = 0; n < 100; n++) outage.report(new ReplyError(`ERR busy for ${n} ms`));
  expect(reported).toHaveLength(5);
});

test('the report of a Redis outage has no arguments of a command, such as a password', () => {
  const faults: Error[] = [];
  const refusal = Object.assign(
    new ReplyError("ERR unknown command 'AUTH', with args beginning with: 'sam' 'geheim'"),
    { command: { name: 'auth', args: ['sam', 'geheim'] } },
  );
  createRedisOutage((fault) => void faults.push(fault)).report(refusal);
  expect(faults.map(({ message }) => message)).toEqual(["ERR unknown command 'AUTH'"]);
  expect(JSON.stringify(faults.map((fault) => ({ ...fault, stack: fault.stack })))).not.toContain('geheim');
});

test('the report of a Redis outage keeps the code of a network error', () => {
  const faults: Error[] = [];
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  createRedisOutage((fault) => void faults.push(fault)).report(refused);
  expect(faults).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
});
