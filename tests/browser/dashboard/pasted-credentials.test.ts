import { randomBytes, randomUUID } from 'node:crypto';
import { createApiKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { firefoxPath } from '@latchkey/support/black-box/shared-browser';
import { unique } from '@latchkey/support/black-box/unique';
import { waitForAnnouncement } from '@latchkey/support/dashboard/announcements';
import { type DashboardBrowser, openDashboard, signIn } from '@latchkey/support/dashboard/open-dashboard';
import { viewerToken } from '@latchkey/support/tokens';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';

const { open: openUnprepared, target } = await openDashboard();
const { adminApiKey } = target;
const { raw } = await createApiKey(target, 'playback');
const prefix = raw.slice(0, 11);
const viewerId = unique('viewer');
const token = viewerToken(target.jwtSecret, viewerId);
const contentId = await registerContent(target);
const leaseId = randomUUID();
/** The form of a session's id: the bytes of its lease, and 16 of a secret. */
const sid = Buffer.concat([Buffer.from(leaseId.replaceAll('-', ''), 'hex'), randomBytes(16)]).toString(
  'base64url',
);
const secrets = [raw.slice(-50), raw.slice(11, 31), ...token.split('.').slice(1), sid, sid.slice(22)];

/** A pasted text, and what is left of it in a field for an id of a viewer and of a content. */
const pasted = [
  { text: raw, id: prefix, content: prefix },
  { text: `Authorization: Bearer ${raw}`, id: prefix, content: prefix },
  { text: token, id: viewerId, content: viewerId },
  { text: `Bearer ${token}`, id: viewerId, content: viewerId },
  {
    text: `https://keys.example/keys/${contentId}/3?access_token=${token}`,
    id: viewerId,
    content: contentId,
  },
  { text: `https://keys.example/play/${sid}/index.m3u8`, id: leaseId, content: leaseId },
  { text: `https://keys.example/keys/${contentId}?s=${sid}`, id: leaseId, content: contentId },
];

/** Everything that leaves the page or stays in the browser: requests, addresses, history and storage. */
async function watchLeaks(page: Page): Promise<() => Promise<string[]>> {
  const sent: string[] = [];
  page.on('request', (request) => {
    // The address that the browser itself was opened with is sent before any script runs.
    if (!request.isNavigationRequest()) sent.push(`${request.url()} ${request.postData() ?? ''}`);
  });
  page.on('framenavigated', (frame) => sent.push(frame.url()));
  return async () => {
    const kept = await page.evaluate<string>(
      'JSON.stringify([location.href, history.state, { ...sessionStorage }, { ...localStorage }])',
    );
    const all = [...sent, kept].map(
      (text) => `${text} ${decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, ''))}`,
    );
    return secrets.filter((secret) => all.some((text) => text.includes(secret))).map((s) => s.slice(0, 6));
  };
}

const searches = [
  { page: 'Leases', field: 'Viewer ID (exact)' },
  { page: 'Leases', field: 'Content ID (exact)', isContent: true },
  { page: 'Content', field: 'Search name or ID', isContent: true },
  { page: 'API keys', field: 'Search name or key prefix' },
  { page: 'Viewers', field: 'Viewer ID begins with' },
  { page: 'Audit', field: 'Target ID (exact)' },
  { page: 'Audit', field: 'Actor ID (exact)' },
  // This one hides rows, and asks the server nothing.
  { page: 'Refusals', field: 'Viewer, content, address or request ID', isLocal: true },
];

const goTo = async (page: Page, name: string) => {
  await page.getByRole('link', { name, exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
};

const open: DashboardBrowser['open'] = async (options) => {
  const page = await openUnprepared(options);
  // Firefox has a preference for it.
  if (!firefoxPath) await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return page;
};

/** As a paste: the whole text arrives in one event. The pages of the browser share its clipboard, and no other file uses it. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await field.fill('');
  await field.focus();
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+V');
}

it('a credential that is pasted into a search is cut to what identifies it, in every search field', async () => {
  const page = await open({ as: adminApiKey });
  const leaks = await watchLeaks(page);
  for (const [index, { page: name, field: label, isContent, isLocal }] of searches.entries()) {
    await goTo(page, name);
    const field = page.getByRole('searchbox', { name: label });
    // One field of each kind gets every text, the others a key and a URL that names both a lease and a content.
    for (const { text, id, content } of index < 2 ? pasted : [...pasted.slice(0, 1), ...pasted.slice(-1)]) {
      const kept = isContent ? content : id;
      await paste(page, field, text);
      await expect.poll(() => field.inputValue(), { message: `${label}: ${text.slice(0, 30)}` }).toBe(kept);
      // It is in the address once it is searched.
      if (!isLocal) await expect.poll(() => [...new URL(page.url()).searchParams.values()]).toContain(kept);
    }
    expect([label, await leaks()]).toEqual([label, []]);
  }
});

it('a credential that is typed letter by letter into a search is sent nowhere, half typed either', async () => {
  const page = await open({ as: adminApiKey });
  const leaks = await watchLeaks(page);
  await goTo(page, 'Viewers');
  const field = page.getByRole('searchbox');
  for (const [text, id] of [
    [raw, prefix],
    [token, viewerId],
    [`Bearer ${raw}`, prefix],
  ] as const) {
    await field.fill('');
    await field.pressSequentially(text);
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(id);
    await field.blur();
    expect(await field.inputValue()).toBe(id);
  }
  expect(await leaks()).toEqual([]);
});

it('a whole API key in the search of API keys finds its key', async () => {
  const page = await open({ as: adminApiKey });
  const leaks = await watchLeaks(page);
  await goTo(page, 'API keys');
  await paste(page, page.getByRole('searchbox'), raw);
  await page.getByRole('row').filter({ hasText: prefix }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('q')).toBe(prefix);
  expect(await leaks()).toEqual([]);
});

it('Refusals asks about a token within any text around it, and puts neither it nor an API key into the address', async () => {
  const page = await open({ as: adminApiKey });
  const leaks = await watchLeaks(page);
  await goTo(page, 'Refusals');
  const who = page.getByLabel('Viewer, token, request ID or lease ID');
  const content = page.getByLabel('Content ID');
  const explain = page.getByRole('button', { name: 'Explain', exact: true });
  await page.getByText('Content, epoch and lease').click();
  await paste(page, content, `https://keys.example/keys/${contentId}?access_token=${token}`);
  expect(await content.inputValue()).toBe(contentId);
  await paste(page, page.getByLabel('Lease ID', { exact: true }), `https://keys.example/play/${sid}/a.m3u8`);
  expect(await page.getByLabel('Lease ID', { exact: true }).inputValue()).toBe(leaseId);
  await paste(page, who, `Authorization: Bearer ${raw}`);
  await explain.click();
  await page.getByText('An API key is not a viewer.').waitFor();
  expect(await leaks()).toEqual([]);
  for (const text of [
    token,
    `Authorization: Bearer ${token}`,
    `https://x.example/keys/a?access_token=${token}`,
  ]) {
    await paste(page, who, text);
    expect(await who.inputValue()).toBe(token);
    await content.fill(contentId);
    await explain.click();
    await page.getByText(`${viewerId} gets the key of ${contentId} now`).waitFor();
    for (const secret of secrets) expect(page.url()).not.toContain(secret);
  }
});

it('the palette says which credential was pasted, and goes to what it identifies', async () => {
  const page = await open({ as: adminApiKey });
  const leaks = await watchLeaks(page);
  const field = page.getByRole('dialog').getByRole('combobox');
  const pathname = () => new URL(page.url()).pathname + new URL(page.url()).search;
  for (const [text, kind, path] of [
    [`Bearer ${raw}`, 'This is an API key.', `/admin/api-keys?q=${prefix}`],
    [token, 'This is a viewer token.', `/admin/viewers?viewer=${viewerId}`],
    [
      `https://keys.example/keys/${contentId}?access_token=opaque`,
      'This is a credential.',
      `/admin/content/${contentId}`,
    ],
    [`https://keys.example/play/${sid}/`, 'a playback session', `/admin/leases?lease=${leaseId}`],
  ] as const) {
    await page.keyboard.press('Control+k');
    await paste(page, field, text);
    await page.getByText(kind).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(pathname).toBe(path);
  }
  expect(await leaks()).toEqual([]);
});

it('an address with a credential, such as an old bookmark, is cut before anything is requested', async () => {
  for (const [path, cut] of [
    [`/leases?viewer=${raw}&state=active`, `/admin/leases?viewer=${prefix}&state=active`],
    [`/refusals?viewer=${encodeURIComponent(`Bearer ${token}`)}`, `/admin/refusals?viewer=${viewerId}`],
    [`/viewers?q=${token}`, `/admin/viewers?q=${viewerId}`],
    [`/content/${raw}`, `/admin/content/${prefix}`],
  ] as const) {
    const page = await open({ path });
    const leaks = await watchLeaks(page);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(cut);
    await signIn(page, adminApiKey);
    expect(await leaks()).toEqual([]);
  }
});

it('a credential in a name or a reason is cut before it is sent', async () => {
  const page = await open({ as: adminApiKey });
  const leaks = await watchLeaks(page);
  await goTo(page, 'Content');
  await page.getByRole('button', { name: 'Register a content' }).first().click();
  const dialog = page.getByRole('dialog');
  await paste(page, dialog.getByLabel('Name'), `for ${token}`);
  await paste(
    page,
    dialog.getByLabel('ID', { exact: true }),
    `https://keys.example/keys/${unique('film')}?s=${sid}`,
  );
  expect(await dialog.getByLabel('Name').inputValue()).toBe(`for ${viewerId}`);
  await dialog.getByRole('button', { name: /Register/ }).click();
  await waitForAnnouncement(page, 'Content registered');
  expect(await leaks()).toEqual([]);
});
