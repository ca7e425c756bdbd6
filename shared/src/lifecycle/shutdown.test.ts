import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createShutdown } from './shutdown.ts';

function create() {
  const operatorLines: string[] = [];
  const ran: string[] = [];
  const log = {
    info: () => {},
    warn: () => {},
    error: (message: string) => void operatorLines.push(message),
  };
  return { shutdown: createShutdown(log), operatorLines, ran };
}

test('a shutdown runs its phases one after another, the last registered one first', async () => {
  const { shutdown, ran } = create();
  for (const phase of ['database', 'bus', 'listener']) {
    shutdown.add(phase, 1_000, async () => {
      ran.push(`${phase} begins`);
      await Promise.resolve();
      ran.push(`${phase} ends`);
    });
  }
  await shutdown.run();
  expect(ran).toEqual([
    'listener begins',
    'listener ends',
    'bus begins',
    'bus ends',
    'database begins',
    'database ends',
  ]);
});

test('a shutdown phase that fails or hangs is reported and does not stop the others', async () => {
  const { shutdown, ran, operatorLines } = create();
  shutdown.add('database', 1_000, () => void ran.push('database'));
  shutdown.add('bus', 5, () => new Promise(() => {}));
  shutdown.add('cache', 1_000, () => {
    throw new Error('lost');
  });
  shutdown.add('listener', 1_000, () => Promise.reject(new Error('lost')));
  await shutdown.run();
  expect(ran).toEqual(['database']);
  expect(operatorLines).toEqual(
    ['listener', 'cache', 'bus'].map((phase) => `shutdown: ${phase} did not end well`),
  );
});

test('a shutdown runs once, however often it is started', async () => {
  const { shutdown, ran } = create();
  shutdown.add('database', 1_000, () => void ran.push('database'));
  await Promise.all([shutdown.run(), shutdown.run()]);
  await shutdown.run();
  expect(ran).toEqual(['database']);
});

test('a process whose main thread never comes back is ended by force', async () => {
  const file = new URL('./shutdown.ts', import.meta.url).href;
  const program = `
    import { endByForce } from ${JSON.stringify(file)};
    endByForce(10);
    for (;;);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});
