import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { createRedisOutage } from './redis-connection.ts';

function create() {
  const told: string[] = [];
  const outage = createRedisOutage(({ message }) => void told.push(message));
  return { outage, told };
}

test('a Redis outage is reported once, with its first reason, and so is the next one', () => {
  const { outage, told } = create();
  for (const reason of ['connect ECONNREFUSED', 'connect ETIMEDOUT', 'connect ECONNREFUSED'])
    outage.tell(new Error(reason));
  outage.end();
  outage.tell(new Error('read ECONNRESET'));
  expect(told).toEqual(['connect ECONNREFUSED', 'read ECONNRESET']);
});

test('a Redis that starts but refuses is reported once for each reason', () => {
  const { outage, told } = create();
  outage.tell(new Error('connect ECONNREFUSED'));
  for (let n = 0; n < 3; n++) {
    outage.tell(new ReplyError('ERR invalid password'));
    outage.tell(new ReplyError('NOAUTH Authentication required.'));
  }
  expect(told).toEqual(['connect ECONNREFUSED', 'ERR invalid password', 'NOAUTH Authentication required.']);
});

test('Redis refusals that differ each time do not flood the log', () => {
  const { outage, told } = create();
  for (let n = 0; n < 100; n++) outage.tell(new ReplyError(`ERR busy for ${n} ms`));
  expect(told).toHaveLength(5);
});

test('the report of a Redis outage has no arguments of a command, such as a password', () => {
  const faults: Error[] = [];
  const refusal = Object.assign(
    new ReplyError("ERR unknown command 'AUTH', with args beginning with: 'sam' 'geheim'"),
    { command: { name: 'auth', args: ['sam', 'geheim'] } },
  );
  createRedisOutage((fault) => void faults.push(fault)).tell(refusal);
  expect(faults.map(({ message }) => message)).toEqual(["ERR unknown command 'AUTH'"]);
  expect(JSON.stringify(faults.map((fault) => ({ ...fault, stack: fault.stack })))).not.toContain('geheim');
});

test('the report of a Redis outage keeps the code of a network error', () => {
  const faults: Error[] = [];
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  createRedisOutage((fault) => void faults.push(fault)).tell(refused);
  expect(faults).toEqual([expect.objectContaining({ code: 'ECONNREFUSED' })]);
});
