import { randomUUID } from 'node:crypto';
import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  oncePropagated,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { firefoxPath } from '@latchkey/support/black-box/shared-browser';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { inspectPage } from '@latchkey/support/dashboard/inspect-page';
import { openDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { laterToken, viewerToken } from '@latchkey/support/tokens';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open, target } = await openDashboard();
const { adminApiKey } = target;

const explainButton = (page: Page) => page.getByRole('button', { name: 'Explain', exact: true });
const questionField = (page: Page) => page.getByLabel('Viewer, token, request ID or lease ID');
const answerOf = (page: Page, words: string | RegExp) => page.getByRole('status').filter({ hasText: words });

async function explain(page: Page, who: string): Promise<void> {
  await questionField(page).fill(who);
  await explainButton(page).click();
}

it('a refused request appears with its code, and is explained in a sentence from its row, its request ID or its lease', async () => {
  const scene = await makeScene(target);
  const { viewerId, contentId } = scene;
  const leaseId = await createLease(target, scene);
  const owner = await createApiKey(target, 'full');
  await revokeLeases({ ...target, adminApiKey: owner.raw }, { leaseId, reason: 'chargeback' });
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene, leaseId)).toBe('403 LEASE_REVOKED');
  });
  const page = await open({ path: '/refusals', as: adminApiKey });
  const row = page.getByRole('row', { name: /LEASE_REVOKED/ }).filter({ hasText: viewerId });
  await row.first().waitFor();
  await page.getByRole('searchbox', { name: /^Viewer, content/ }).fill(viewerId);
  await row
    .first()
    .getByRole('button', { name: `Explain LEASE_REVOKED of ${viewerId}` })
    .click();
  const answer = answerOf(page, `${viewerId} gets no key of ${contentId}: its lease was revoked`);
  await answer.getByText(/ by API key full-.*, reason chargeback/).waitFor();
  expect(new URL(page.url()).searchParams.get('viewer')).toBe(viewerId);
  await inspectPage(page, 'refusals-explained');

  await page.getByText('How it was decided').click();
  const steps = page.getByRole('list', { name: 'Decisions, in their order' }).getByRole('listitem');
  const answers = await steps.evaluateAll((items) => items.map((item) => item.getAttribute('data-answer')));
  expect(answers.slice(0, 4)).toEqual(['passed', 'skipped', 'passed', 'refused']);
  expect(new Set(answers.slice(4))).toEqual(new Set(['not-reached']));
  await inspectPage(page, 'refusals-steps');

  // As a player's developer would send it, and as the list of leases shows it.
  const requestId = await row.first().locator('small[title]').textContent();
  for (const who of [requestId ?? '', leaseId, viewerId]) {
    await explain(page, 'x');
    await answerOf(page, 'x is not known').waitFor();
    await explain(page, who);
    await answer.getByText(/reason chargeback/).waitFor();
  }
  // The record of the act, from the sentence.
  await page.getByRole('link', { name: 'Record in the audit' }).click();
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'Revoke leases' }).first().waitFor();
});

it('a refusal is explained with what its token said, also after the page was loaded again, and with a new token', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const named = unique('other');
  const token = viewerToken(target.jwtSecret, viewerId, { content_ids: [named] });
  expect(await askForKey(target, { token, contentId })).toBe('403 CONTENT_NOT_ENTITLED');
  const page = await open({ path: `/refusals?q=${viewerId}`, as: adminApiKey });
  await page
    .getByRole('row', { name: /CONTENT_NOT_ENTITLED/ })
    .getByRole('button', { name: /^Explain/ })
    .click();
  for (let load = 0; load < 2; load++) {
    const answer = answerOf(page, `${viewerId} gets no key of ${contentId}: its token opens ${named} alone`);
    await answer.getByText(/issued now and opens this content would get the key/).waitFor();
    if (load === 0) await page.reload();
  }
  await page.getByText('How it was decided').click();
  await page.getByText(`opened ${named}.`).waitFor();
  await inspectPage(page, 'refusals-token');
});

it('a pasted token is explained with the content of its viewer, and goes to the route of decisions alone', async () => {
  const scene = await makeScene(target);
  const { contentId, viewerId } = scene;
  const token = viewerToken(target.jwtSecret, viewerId, { content_ids: [unique('other')] });
  const page = await open({ path: '/refusals', as: adminApiKey });
  const sent: string[] = [];
  page.on('request', (request) => {
    const body = request.postData() ?? '';
    if (request.url().includes(token) || body.includes(token)) sent.push(request.url());
  });
  await explain(page, token);
  await answerOf(page, `The token of ${viewerId} is accepted`).waitFor();
  // Nothing names a content, so its field is open.
  await page.getByLabel('Content ID').fill('no content');
  await explainButton(page).click();
  await page.getByText('Letters, digits, - and _: the ID of a content').waitFor();
  await page.getByLabel('Content ID').and(page.locator(':focus')).waitFor();
  await createLease(target, scene);
  await page.getByLabel('Content ID').fill('');
  await explainButton(page).click();
  await answerOf(page, `${viewerId} gets no key of ${contentId}: its token does not open`).waitFor();
  expect(page.url()).not.toContain(token.slice(0, 20));
  // Firefox does not show the bodies of requests.
  const places = firefoxPath ? [] : ['/api/v1/key-decisions'];
  expect(new Set(sent.map((url) => new URL(url).pathname))).toEqual(new Set(places));
  expect(sent.filter((url) => url.includes('?'))).toEqual([]);
  const expired = viewerToken(target.jwtSecret, viewerId, { exp: 1 });
  await explain(page, expired);
  await answerOf(page, 'The player gets no key: its token is not accepted').waitFor();
});

it('a block and a mark are lifted from the answer, which then reports that the key is served', async () => {
  const scene = await makeScene(target);
  const { viewerId } = scene;
  const path = `/api/v1/viewers/${viewerId}/block`;
  await target.client.call('PUT', path, { as: adminApiKey, json: { reason: 'shared account' } });
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('403 VIEWER_BLOCKED');
  });
  const page = await open({ path: `/refusals?viewer=${viewerId}`, as: adminApiKey });
  await answerOf(page, /it was blocked just now .* by .*, reason shared account/).waitFor();
  await inspectPage(page, 'refusals-blocked');
  const liftBlock = page.getByRole('button', { name: 'Lift the block…' });
  await liftBlock.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lift the block' }).click();
  await waitForAnnouncement(page, 'Block lifted');
  await liftBlock.waitFor({ state: 'detached' });

  // Another replica may answer, which knows of it a moment later.
  const explainUntil = (words: string | RegExp) =>
    expect
      .poll(async () => {
        await explain(page, viewerId);
        return answerOf(page, words).count();
      })
      .toBe(1);
  await explainUntil(/its tokens were revoked .* by .*, reason shared account/);
  await page.getByRole('button', { name: 'Accept its tokens again…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Accept the tokens' }).click();
  await waitForAnnouncement(page, 'Tokens accepted again');
  await explainUntil(`${viewerId} gets the key`);
});

it('a viewer is found by the beginning of its ID, and its page shows leases, refusals and refused tokens, which can be accepted again', async () => {
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
  const marks = page.getByRole('table', { name: 'Refused tokens of this viewer' });
  await marks.getByText('all content').waitFor();
  await page.getByRole('table', { name: 'Latest leases of this viewer' }).getByText('Revoked').waitFor();
  await page
    .getByRole('table', { name: 'Latest refusals of this viewer' })
    .getByText('TOKEN_REVOKED')
    .first()
    .waitFor();
  await page.getByText('living room').first().waitFor();
  await inspectPage(page, 'viewer');

  await marks.getByRole('button', { name: 'Accept again…' }).click();
  await inspectPage(page, 'viewer-lift');
  await page.getByRole('button', { name: 'Accept the tokens' }).click();
  await waitForAnnouncement(page, 'Tokens accepted again');
  await page.getByText('No token is refused').waitFor();
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
  await page.getByText('No viewer found').waitFor();
  await inspectPage(page, 'viewers-none');
  await page.getByRole('link', { name: /^Open the page of/ }).click();
  await page.getByRole('heading', { name: viewerId, level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: viewerId, level: 1 }).waitFor();
});
