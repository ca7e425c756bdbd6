import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type Environment,
  internalVariables,
  observabilityVariables,
  processVariables,
} from '../config/index.ts';
import { makeTestFolder } from '../testing/test-folder.ts';
import { FakeProcess } from './fake-process.fixture.ts';
import { runService } from './index.ts';

const old = 'the-old-secret-of-a-test-0123456789abcdef';
const next = 'the-next-secret-of-a-test-0123456789abcde';
const settings = { ...processVariables(4199), ...internalVariables, ...observabilityVariables('127.0.0.1') };

function createFiles() {
  const folder = makeTestFolder();
  const fileOf = (name: string) => join(folder, name);
  return { fileOf, write: (name: string, text: string) => writeFileSync(fileOf(name), text) };
}

/** Starts a service. @param onMount while it starts: its configuration was read, and it does not listen yet */
async function startService(env: Environment, onMount: (process: FakeProcess) => void = () => {}) {
  const process = new FakeProcess();
  const started = runService(
    {
      name: 'things',
      version: '1',
      settings,
      rules: [],
      async mount({ app }) {
        onMount(process);
        app.get('/things', { config: { access: 'open' } }, async () => ({}));
        return async () => {};
      },
    },
    process as unknown as NodeJS.Process,
    { HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0', METRICS_HOST: '127.0.0.1', ...env },
  );
  onTestFinished(async () => {
    process.emit('SIGINT');
    await process.exited;
  });
  await started;
  const [, port] = await process.says(/listens on 127\.0\.0\.1:(\d+)/);
  const statusFor = async (secret: string) => {
    const headers = { 'x-latchkey-secret': secret };
    return (await fetch(`http://127.0.0.1:${port}/things`, { headers })).status;
  };
  return { process, statusFor };
}

test('SIGHUP while a service starts is not lost: a file that was replaced after its reading is read again', async () => {
  const { fileOf, write } = createFiles();
  write('secret', old);
  const { process, statusFor } = await startService(
    { INTERNAL_SECRET_FILE: fileOf('secret') },
    (starting) => {
      write('secret', next);
      // A signal without a listener ends a process.
      for (let count = 0; count < 3; count++) expect(starting.emit('SIGHUP')).toBe(true);
    },
  );
  expect([await statusFor(old), await statusFor(next)]).toEqual([401, 200]);
  expect(process.log.match(/SIGHUP: INTERNAL_SECRET renewed/g)).toHaveLength(1);
  write('secret', old);
  process.emit('SIGHUP');
  expect([await statusFor(old), await statusFor(next)]).toEqual([200, 401]);
});

test('SIGHUP ends a service without a variable from a file while it starts, and afterwards', async () => {
  let listeners: number | null = null;
  const { process } = await startService({ INTERNAL_SECRET: old }, (starting) => {
    listeners = starting.listenerCount('SIGHUP');
  });
  expect(listeners).toBe(0);
  process.emit('SIGHUP');
  expect(await process.exited).toBe(0);
});

test('a service refuses calls with an INTERNAL_SECRET_PREVIOUS that was taken away', async () => {
  const { fileOf, write } = createFiles();
  write('secret', next);
  write('previous', old);
  const { process, statusFor } = await startService({
    INTERNAL_SECRET_FILE: fileOf('secret'),
    INTERNAL_SECRET_PREVIOUS_FILE: fileOf('previous'),
  });
  expect([await statusFor(old), await statusFor(next)]).toEqual([200, 200]);
  write('previous', '');
  process.emit('SIGHUP');
  expect([await statusFor(old), await statusFor(next)]).toEqual([401, 200]);
  expect(process.log).not.toContain(old);
});
