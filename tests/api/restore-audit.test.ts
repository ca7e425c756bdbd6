import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@latchkey/support/black-box/eventually';
import { endProcess, makeTestFolder, openInTest } from '@latchkey/support/black-box/own-process';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { verifyAudit } from '@latchkey/support/black-box/verify-audit';
import { runCli } from '@latchkey/support/processes/run-cli';
import { expect, it } from 'vitest';

it('after a restore, anchors from before the backup hold, newer ones show what is gone, and the forwarded lines name it', async () => {
  const folder = makeTestFolder();
  const [copy, forwarded, kept] = ['copy.db', 'audit.jsonl', 'audit.lost.jsonl'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const database = { SQLITE_PATH: join(folder, 'latchkey.db') };
  const keep = (name: string, anchors: string) => {
    const path = join(folder, name);
    writeFileSync(path, anchors);
    return path;
  };
  /** Acts are forwarded once they are chained. @returns the anchors */
  const onceForwarded = async (acts: number) => {
    const text = () => (existsSync(forwarded) ? readFileSync(forwarded, 'utf8') : '');
    await eventually(() => expect(text()).toContain(`"place":${acts}`));
    return verifyAudit(database);
  };
  const start = () => openInTest(folder, { AUDIT_FORWARD: `file:${forwarded}` });
  const act = async ({ target }: Awaited<ReturnType<typeof start>>, count: number) => {
    for (let n = 0; n < count; n++) await registerContent(target);
  };

  const first = await start();
  await act(first, 3);
  const older = keep('older', await onceForwarded(3));
  await runCli(['backup', copy], database);
  const lost = await registerContent(first.target);
  await act(first, 1);
  const newer = keep('newer', await onceForwarded(5));
  await endProcess(first.server, 'SIGKILL');
  await runCli(['restore', copy], database);

  const removed = 'chain acts: it ends at place 3, but place 5 was there before: its end was removed';
  await Promise.all([
    verifyAudit(database, older),
    expect(verifyAudit(database, newer)).rejects.toThrow(removed),
    expect(verifyAudit(database, forwarded)).rejects.toThrow(removed),
  ]);

  renameSync(forwarded, kept);
  const second = await start();
  await act(second, 3);
  const anchors = keep('anchors', await onceForwarded(6));
  await Promise.all([
    // Other acts have taken the places of those that are gone.
    expect(verifyAudit(database, newer)).rejects.toThrow('chain acts: place 5 had another hash before'),
    verifyAudit(database, older),
    verifyAudit(database, anchors),
    verifyAudit(database, forwarded),
  ]);
  const afterBackup = readFileSync(kept, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ chain, place }) => chain === 'acts' && place > 3);
  expect(afterBackup[0]).toMatchObject({ action: 'content.create', target: lost, place: 4 });
});
