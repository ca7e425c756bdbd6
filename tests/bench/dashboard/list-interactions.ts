import type { Page } from 'playwright-core';
import { choose, click, follow, toSearch, type } from './acts.ts';
import type { Interaction } from './interaction.ts';

const searchContent = (page: Page) => page.getByRole('searchbox', { name: 'Content ID (exact)' }).focus();
const menuOf = (act: string) => async (page: Page) => {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: act }).waitFor();
};
const inMenu = (act: string) => (page: Page) => page.getByRole('menuitem', { name: act }).click();

/** On lists of `listSizes`, as `fillLists` makes them. */
export const listInteractions: readonly Interaction[] = [
  { name: 'API keys: to the page', from: '/account', act: follow('API keys'), shows: { rows: 50 } },
  {
    name: 'API keys: search that finds 11',
    from: '/api-keys',
    prepare: toSearch,
    act: type('workshop 7777'),
    shows: { rows: 11, each: 'workshop 7777' },
  },
  {
    name: 'API keys: search that finds nothing',
    from: '/api-keys',
    prepare: toSearch,
    act: type('nobody'),
    shows: { text: 'No matching keys' },
  },
  {
    name: 'API keys: filter “Admin scope”',
    from: '/api-keys',
    act: click('Admin scope'),
    shows: { rows: 50, each: 'admin' },
  },
  {
    name: 'API keys: filter “Unused for 90 days”',
    from: '/api-keys',
    act: click('Unused for 90 days'),
    shows: { rows: 50, selector: '[aria-pressed=true]' },
  },
  {
    name: 'API keys: next page',
    from: '/api-keys',
    act: click('Next'),
    shows: { text: 'on page 2', rows: 50 },
  },
  { name: 'Content: to the page', from: '/account', act: follow('Content'), shows: { rows: 50 } },
  {
    name: 'Content: search that finds 11',
    from: '/content',
    prepare: toSearch,
    act: type('part 7777'),
    shows: { rows: 11, each: 'part 7777' },
  },
  {
    name: 'Content: search that finds all',
    from: '/content?q=nothing',
    prepare: async (page) => {
      await toSearch(page);
      await page.keyboard.press('ControlOrMeta+a');
    },
    act: type('film'),
    shows: { rows: 50, text: 'of 100,000' },
  },
  {
    name: 'Content: filter “disabled”',
    from: '/content',
    act: choose('Status', 'disabled'),
    shows: { rows: 50, each: 'Disabled', text: 'of 2,000' },
  },
  {
    name: 'Content: next page',
    from: '/content',
    act: click('Next'),
    shows: { rows: 50, text: '51–100 of' },
  },
  {
    name: 'Content: page 2,000',
    from: '/content?page=1999',
    act: click('Next'),
    shows: { text: '99,951–100,000' },
  },
  {
    name: 'Content: one with half of all leases',
    from: '/content?q=part+0',
    act: (page) => page.getByRole('link', { name: 'The Long Film, part 0', exact: true }).click(),
    shows: { text: 'EXT-X-KEY', selector: 'main [role=rowheader]' },
  },
  { name: 'Leases: to the page', from: '/account', act: follow('Leases'), shows: { rows: 50 } },
  {
    name: 'Leases: of a viewer with a twentieth of all',
    from: '/leases',
    prepare: toSearch,
    act: type('viewer-0'),
    shows: { rows: 50, each: 'viewer-0' },
  },
  {
    name: 'Leases: of a content with half of all',
    from: '/leases',
    prepare: searchContent,
    act: type('content-0'),
    shows: { rows: 50, each: 'content-0' },
  },
  {
    name: 'Leases: filter “revoked”',
    from: '/leases',
    act: choose('State', 'revoked'),
    shows: { rows: 50, each: 'Revoked' },
  },
  {
    name: 'Leases: filter “expired”',
    from: '/leases',
    act: choose('State', 'expired'),
    shows: { rows: 50, each: 'Expired' },
  },
  { name: 'Leases: next page', from: '/leases', act: click('Next'), shows: { rows: 50, text: 'on page 2' } },
  {
    name: 'Leases: details of one',
    from: '/leases',
    act: (page) => page.getByRole('rowheader').first().getByRole('button').click(),
    shows: { selector: '[role=dialog]', text: 'Renewed' },
  },
  {
    name: 'Leases: count before half of all are revoked',
    from: '/leases?content=content-0',
    prepare: menuOf('Revoke every lease of this content…'),
    act: inMenu('Revoke every lease of this content…'),
    shows: { text: 'active leases will end' },
  },
  { name: 'Audit: to the page', from: '/account', act: follow('Audit'), shows: { rows: 50 } },
  {
    name: 'Audit: of one target',
    from: '/audit',
    prepare: toSearch,
    act: type('content-77'),
    shows: { rows: 50, each: 'content-77' },
  },
  {
    name: 'Audit: of one action',
    from: '/audit',
    act: choose('Action', 'content.update'),
    shows: { rows: 50, each: 'content.update' },
  },
  {
    name: 'Audit: what was done, one of a hundred',
    from: '/audit',
    act: choose('Outcome', 'done'),
    shows: { rows: 50, each: 'done' },
  },
  { name: 'Audit: next page', from: '/audit', act: click('Next'), shows: { rows: 50, text: 'on page 2' } },
  {
    name: 'Overview: to the page',
    from: '/account',
    act: follow('Overview'),
    shows: { selector: 'main figure [role=img]' },
  },
];
