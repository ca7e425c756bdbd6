import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../testing/test-folder.ts';
import type { FakeProcess } from './fake-process.fixture.ts';
import { startService } from './start-service.fixture.ts';

const old = 'the-old-secret-of-a-test-0123456789abcdef';
const next = 'the-next-secret-of-a-test-0123456789abcde';

function createFiles() {
  const folder = makeTestFolder();
  const fileOf = (name: string) => join(folder, name);
  return { fileOf, write: (name: string, text: string) => writeFileSync(fileOf(name), text) };
}

async function start(
  env: Record<string, string>,
  onStart: (process: FakeProcess) => void = () => {},
  as: Partial<FakeProcess> = {},
) {
  const { process, ended, url } = await startService({
    ...{ env, as },
    onMount: (_, starting) => onStart(starting),
  });
  await ended;
  const statusFor = async (secret: string) =>
    (await fetch(`${url}/things`, { headers: { 'x-latchkey-secret': secret } })).status;
  return { process, statusFor };
}

test('SIGHUP while a service starts is not lost: a file that was replaced after its reading is read again', async () => {
  const { fileOf, write } = createFiles();
  write('secret', old);
  const { process, statusFor } = await start({ INTERNAL_SECRET_FILE: fileOf('secret') }, (starting) => {
    write('secret', next);
    // A signal without a listener ends a process.
    for (let count = 0; count < 3; count++) expect(starting.emit('SIGHUP')).toBe(true);
  });
  expect([await statusFor(old), await statusFor(next)]).toEqual([401, 200]);
  expect(process.log.match(/SIGHUP: INTERNAL_SECRET renewed/g)).toHaveLength(1);
  write('secret', old);
  process.emit('SIGHUP');
  expect([await statusFor(old), await statusFor(next)]).toEqual([200, 401]);
});

const atTerminal = { stdin: { isTTY: true } };

test('at a terminal, SIGHUP ends a service without a variable from a file while it starts, and afterwards', async () => {
  let listeners: number | null = null;
  const noteListeners = (starting: FakeProcess) => {
    listeners = starting.listenerCount('SIGHUP');
  };
  const { process } = await start({ INTERNAL_SECRET: old }, noteListeners, atTerminal);
  expect(listeners).toBe(0);
  process.emit('SIGHUP');
  expect(await process.exited).toBe(0);
});

// Docker does not start a container again that a signal of `docker kill` has ended.
test.each([
  ['a service without a terminal', {}],
  ['the first process of a container, also with a terminal', { pid: 1, ...atTerminal }],
])(
  'SIGHUP does not end %s: without a variable from a file it warns and serves on, while it starts and afterwards',
  async (_, as) => {
    const hangUp = (starting: FakeProcess) => expect(starting.emit('SIGHUP')).toBe(true);
    const { process, statusFor } = await start({ INTERNAL_SECRET: old }, hangUp, as);
    process.emit('SIGHUP');
    expect(process.log.match(/"level":"warn"[^\n]*SIGHUP: no variable comes from a file/g)).toHaveLength(2);
    expect(await statusFor(old)).toBe(200);
  },
);

test('a service refuses calls with an INTERNAL_SECRET_PREVIOUS that was taken away', async () => {
  const { fileOf, write } = createFiles();
  write('secret', next);
  write('previous', old);
  const { process, statusFor } = await start({
    INTERNAL_SECRET_FILE: fileOf('secret'),
    INTERNAL_SECRET_PREVIOUS_FILE: fileOf('previous'),
  });
  expect([await statusFor(old), await statusFor(next)]).toEqual([200, 200]);
  write('previous', '');
  process.emit('SIGHUP');
  expect([await statusFor(old), await statusFor(next)]).toEqual([401, 200]);
  expect(process.log).not.toContain(old);
});
