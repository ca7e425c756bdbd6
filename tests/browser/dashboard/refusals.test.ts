import { randomUUID } from 'node:crypto';
import {
  askForKey,
  createLease,
  makeScene,
  oncePropagated,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { laterToken, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey } = target;

it('a refused request appears with its code, and is explained from its row or by its request ID', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await revokeLeases(target, { leaseId });
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene, leaseId)).toBe('403 LEASE_REVOKED');
  });
  const page = await open({ path: '/refusals', as: adminApiKey });
  const row = page.getByRole('row', { name: /LEASE_REVOKED/ }).filter({ hasText: scene.viewerId });
  await row.first().waitFor();
  await page.getByRole('searchbox', { name: /^Viewer, content/ }).fill(scene.viewerId);
  await row.first().getByRole('button', { name: 'Explain' }).click();
  await page.getByText('The key is refused: LEASE_REVOKED').waitFor();
  const steps = page.getByRole('list', { name: 'Decisions, in their order' }).getByRole('listitem');
  const answers = await steps.evaluateAll((items) => items.map((item) => item.getAttribute('data-answer')));
  expect(answers.slice(0, 4)).toEqual(['passed', 'skipped', 'passed', 'refused']);
  expect(new Set(answers.slice(4))).toEqual(new Set(['not-reached']));
  expect(new URL(page.url()).searchParams.get('viewer')).toBe(scene.viewerId);
  await inspectPage(page, 'refusals-explained');

  // The request ID of the row, as a player's developer would send it.
  const requestId = await row.first().locator('small[title]').textContent();
  await page.getByLabel('Viewer ID, token or request ID').fill(requestId ?? '');
  await page.getByRole('button', { name: 'Explain', exact: true }).first().click();
  await expect
    .poll(() => page.getByLabel('Viewer ID, token or request ID').inputValue())
    .toBe(scene.viewerId);
  await page.getByText('The key is refused: LEASE_REVOKED').waitFor();

  // An unknown one is named at its field, and no answer to another question stands beside it.
  await page.getByLabel('Viewer ID, token or request ID').fill(randomUUID());
  await page.getByLabel('Content ID').fill('');
  await page.getByRole('button', { name: 'Explain', exact: true }).first().click();
  await page.getByText(/^No refusal in memory has this request ID/).waitFor();
  expect(await page.getByText('The key is refused').count()).toBe(0);
  await row.first().getByRole('button', { name: 'Explain' }).click();
  await page.getByText('The key is refused: LEASE_REVOKED').waitFor();
});

it('a refusal is explained with what its token said, also after the page was loaded again, and with a new token', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const named = unique('other');
  const token = viewerToken(target.jwtSecret, viewerId, { content_ids: [named] });
  expect(await askForKey(target, { token, contentId })).toBe('403 CONTENT_NOT_ENTITLED');
  const page = await open({ path: '/refusals', as: adminApiKey });
  await page.getByRole('searchbox', { name: /^Viewer, content/ }).fill(viewerId);
  await page
    .getByRole('row', { name: /CONTENT_NOT_ENTITLED/ })
    .filter({ hasText: viewerId })
    .getByRole('button', { name: 'Explain' })
    .click();
  for (let load = 0; load < 2; load++) {
    const status = page.getByRole('status').filter({ hasText: 'The key is refused: CONTENT_NOT_ENTITLED' });
    await status.getByText(`opened ${named}.`).waitFor();
    await status.getByText(/issued now and opens this content would get the key/).waitFor();
    if (load === 0) await page.reload();
  }
  await inspectPage(page, 'refusals-token');
});

it('a pasted token is explained, and is in no address', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const token = viewerToken(target.jwtSecret, viewerId, { content_ids: [unique('other')] });
  const page = await open({ path: `/refusals?content=${contentId}`, as: adminApiKey });
  await page.getByLabel('Viewer ID, token or request ID').fill(token);
  await page.getByRole('button', { name: 'Explain', exact: true }).first().click();
  await page.getByText('The key is refused: CONTENT_NOT_ENTITLED').waitFor();
  expect(page.url()).not.toContain(token.slice(0, 20));
  await page.getByLabel('Content ID').fill('');
  await page.getByRole('button', { name: 'Explain', exact: true }).first().click();
  await page.getByText('Letters, digits, - and _: the ID of a content').waitFor();
  await page.getByLabel('Content ID').and(page.locator(':focus')).waitFor();
});

it('a viewer is found by the beginning of its ID, and its page shows leases, refusals and marks, which can be lifted', async () => {
  const scene = await makeScene(target);
  const { viewerId, contentId } = scene;
  await createLease(target, scene, { deviceId: 'living room' });
  await revokeLeases(target, { viewerId });
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('403 TOKEN_REVOKED');
  });
  const page = await open({ path: '/viewers', as: adminApiKey });
  await page.getByRole('searchbox').fill(viewerId.slice(0, -2));
  await page.getByRole('link', { name: viewerId, exact: true }).click();
  await page.getByRole('heading', { name: viewerId, level: 1 }).waitFor();
  const marks = page.getByRole('table', { name: 'Marks of this viewer' });
  await marks.getByText('all content').waitFor();
  await page.getByRole('table', { name: 'Latest leases of this viewer' }).getByText('Revoked').waitFor();
  await page
    .getByRole('table', { name: 'Latest refusals of this viewer' })
    .getByText('TOKEN_REVOKED')
    .first()
    .waitFor();
  await page.getByText('living room').first().waitFor();
  await inspectPage(page, 'viewer');

  await marks.getByRole('button', { name: 'Lift…' }).click();
  await inspectPage(page, 'viewer-lift');
  await page.getByRole('button', { name: 'Lift the mark' }).click();
  await waitForAnnouncement(page, 'Mark lifted');
  await page.getByText('No marks').waitFor();
  await oncePropagated(target, async () => {
    expect(await askForKey(target, { ...scene, contentId })).toBe('200');
  });
});

it('a viewer is blocked by keyboard until a day with a reason, which its page shows, and the block is lifted', async () => {
  const scene = await makeScene(target);
  await createLease(target, scene);
  const ask = (token: string) => askForKey(target, { ...scene, token });
  const page = await open({ path: `/viewers?viewer=${scene.viewerId}`, as: adminApiKey });
  await page.getByRole('button', { name: 'Block this viewer…' }).press('Enter');
  await page.getByRole('dialog').getByText('1 active lease will end').waitFor();
  await page.getByLabel('Ends').selectOption('After a chosen day');
  await page.getByLabel('Reason').fill('shared <b>account</b>');
  await page.getByLabel('Reason').press('Enter');
  await page.getByText('Choose today or a later day.').waitFor();
  await inspectPage(page, 'viewer-block');
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  await page.getByRole('textbox', { name: 'Last day' }).fill(day);
  await page.getByLabel('Reason').press('Enter');
  await waitForAnnouncement(page, 'Viewer blocked. 1 lease revoked');
  const notice = page.getByRole('status').filter({ hasText: 'This viewer is blocked' });
  await notice.getByText('shared <b>account</b>').waitFor();
  await inspectPage(page, 'viewer-blocked');
  const token = laterToken(target.jwtSecret, scene.viewerId);
  await oncePropagated(target, async () => expect(await ask(token)).toBe('403 VIEWER_BLOCKED'));
  await page.getByRole('region', { name: 'History' }).getByText('shared <b>account</b>').waitFor();

  await page.getByRole('button', { name: 'Lift the block…' }).press('Enter');
  await inspectPage(page, 'viewer-unblock');
  await page.getByRole('dialog').getByRole('button', { name: 'Lift the block' }).press('Enter');
  await waitForAnnouncement(page, 'Block lifted');
  await page.getByRole('button', { name: 'Block this viewer…' }).waitFor();
  expect(await notice.count()).toBe(0);
  await oncePropagated(target, async () => expect(await ask(token)).toBe('200'));
});

it('a viewer without leases has a page, whatever its ID', async () => {
  const viewerId = `${unique('x')}/ü?&#.m3u8 ${randomUUID()}`;
  const page = await open({ path: '/viewers', as: adminApiKey });
  await page.getByRole('searchbox').fill(viewerId);
  await page.getByText('No viewer with a lease').waitFor();
  await inspectPage(page, 'viewers-none');
  await page.getByRole('link', { name: /^Open the page of/ }).click();
  await page.getByRole('heading', { name: viewerId, level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: viewerId, level: 1 }).waitFor();
});
