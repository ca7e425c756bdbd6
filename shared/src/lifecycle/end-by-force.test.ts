import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('a process whose main thread never comes back is ended by force', async () => {
  const file = new URL('./end-by-force.ts', import.meta.url).href;
  const program = `
    import { endByForce } from ${JSON.stringify(file)};
    endByForce(10);
    for (;;);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});
