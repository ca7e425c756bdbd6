import { setTimeout as sleep } from 'node:timers/promises';
import { demand } from '../client/management.ts';
import type { Answer, Question } from '../client/send-request.ts';
import { type ClonedPostgres, clonePostgres } from './clone-postgres.ts';
import { type DatabaseScene, limitMs, makePlayer, readyOf, said, servesBeyondLimit } from './scene.ts';

/** Until the last bytes have reached a standby on the same machine. */
const settledMs = 1_500;

/** Services reach a standby, which answers reads but may be behind by any time. */
export async function standbyThatAnswers(scene: DatabaseScene): Promise<string> {
  const { checks, stack } = scene;
  const player = await makePlayer(scene, 'standby-film', 'standby-player');
  const standby = await clonePostgres(stack.backings.postgres.port, true);
  try {
    await standby.start();
    scene.leadTo(standby.port);
    const late = await servesBeyondLimit(scene, player, limitMs + 5_000);
    checks.check('no key is served on a state from a standby beyond the limit', !late);
    const refused = said(await scene.everywhere(player));
    checks.check(
      'replicas answer 503 meanwhile, and do not refuse the viewer',
      refused.every((one) => one === 'DEPENDENCY_UNAVAILABLE'),
      refused.join(', '),
    );
    const ready = await Promise.all(stack.servers.leases.map(readyOf));
    checks.check(
      'the lease service is not ready',
      ready.every(({ status }) => status === 503),
    );
    scene.leadTo(stack.backings.postgres.port);
    const backMs = await scene.until(player, '200');
    checks.check('keys are served again once the services reach the primary', backMs !== null);
    await stack.waitWhole();
    return `no key after ${limitMs / 1_000} s; served again ${((backMs ?? 0) / 1_000).toFixed(1)} s after the primary is reached`;
  } finally {
    await standby.remove();
  }
}

/** A standby takes over without the last changes, and its own next changes get their numbers. */
export async function failoverThatLosesRows(scene: DatabaseScene): Promise<string> {
  return loseChanges(
    scene,
    'failover',
    async (copy) => {
      await copy.start();
      await sleep(settledMs);
      // The standby never receives what is acknowledged from now on.
      await copy.shutDown();
    },
    true,
  );
}

/** The files of a backup replace the database. */
export async function restoredFromBackup(scene: DatabaseScene): Promise<string> {
  return loseChanges(scene, 'restore', async () => {}, false);
}

async function loseChanges(
  scene: DatabaseScene,
  what: string,
  fallBehind: (copy: ClonedPostgres) => Promise<void>,
  follows: boolean,
): Promise<string> {
  const { checks, management, stack } = scene;
  const contentId = `${what}-film`;
  const player = await makePlayer(scene, contentId, `${what}-player`);
  const bystander = await makePlayer(scene, `${what}-other`, `${what}-bystander`);
  await demand(management.call('DELETE', `/api/v1/content/${contentId}`));
  if ((await scene.until(player, 'CONTENT_NOT_FOUND')) === null) throw new Error('a content stayed active');
  const copy = await clonePostgres(stack.backings.postgres.port, follows);
  try {
    await fallBehind(copy);
    await demand(management.call('PATCH', `/api/v1/content/${contentId}`, { status: 'active' }));
    if ((await scene.until(player, '200')) === null) throw new Error('a content stayed disabled');
    await stack.backings.postgres.kill();
    await copy.start();
    scene.leadTo(copy.port);
    if (follows) await scene.sql('select pg_promote()');
    // These get the numbers of the lost changes.
    const after = await writeAfter(scene, what);
    const heldMs = await scene.until(player, 'CONTENT_NOT_FOUND');
    checks.check(
      `after a ${what} no replica serves keys by a re-activation that was lost`,
      heldMs !== null && heldMs <= limitMs,
      `it took ${heldMs === null ? 'more than 30 s' : `${Math.round(heldMs)} ms`}`,
    );
    checks.check(
      `after a ${what} other viewers get their keys`,
      (await scene.until(bystander, '200')) !== null,
    );
    checks.check(
      `after a ${what} a new revocation holds`,
      (await scene.until(after, 'TOKEN_REVOKED')) !== null,
    );
    await stack.waitWhole();
    return `the lost re-activation was over ${Math.round(heldMs ?? 0)} ms after the first change on the new history`;
  } finally {
    await stack.backings.postgres.start();
    scene.leadTo(stack.backings.postgres.port);
    await stack.waitWhole();
    await copy.remove();
  }
}

/** Makes two changes as soon as the new server accepts them. @returns the key request of a viewer that was revoked */
async function writeAfter(scene: DatabaseScene, what: string): Promise<Question> {
  const { management } = scene;
  const viewerId = `${what}-revoked`;
  await untilDone(() => management.call('POST', '/keys/leases/revoke', { viewerId }));
  await untilDone(() => management.registerContent(`${what}-later`));
  return scene.questionOf(`${what}-other`, viewerId);
}

/** Repeats a change until it succeeds: each service has to notice by itself that its connections are dead. */
async function untilDone(change: () => Promise<Answer>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { status } = await change();
    if (status >= 200 && status < 300) return;
    await sleep(100);
  }
  throw new Error('the new server accepted no change');
}
