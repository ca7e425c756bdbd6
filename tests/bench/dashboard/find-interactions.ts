import { busiestWebhook } from '../fill-webhooks.ts';
import { choose, click, follow, sortBy, toPalette, toSearch, type } from './acts.ts';
import type { Interaction } from './interaction.ts';

const ascending = '[aria-sort=ascending]';

/** Orders of lists, the palette, and the pages of viewers, refusals and settings. On the lists of `listSizes`. */
export const findInteractions: readonly Interaction[] = [
  {
    name: 'API keys: by expiry',
    from: '/api-keys',
    act: sortBy('Expires'),
    shows: { rows: 50, selector: ascending },
  },
  {
    name: 'API keys: by expiry, next page',
    from: '/api-keys?sort=expiresAt',
    act: click('Next'),
    shows: { rows: 50, text: 'on page 2, of 100,000 or more' },
  },
  {
    name: 'Content: by name',
    from: '/content',
    act: sortBy('Name'),
    shows: { rows: 50, selector: ascending, text: 'of 100,000' },
  },
  {
    name: 'Leases: oldest first',
    from: '/leases',
    act: sortBy('Created'),
    shows: { rows: 50, selector: ascending },
  },
  {
    name: 'Leases: active ones, next to end first',
    from: '/leases?state=active',
    act: sortBy('Ends'),
    shows: { rows: 50, selector: ascending },
  },
  {
    name: 'Leases: a pasted list is counted',
    from: '/leases',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Revoke a list…' }).click();
      await page.getByLabel('Viewer IDs').fill('viewer-21\nviewer-43\nviewer-0');
    },
    act: click('Continue'),
    shows: { text: 'active leases will end' },
  },
  {
    name: 'Leases: details with their history',
    from: '/leases',
    act: (page) => page.getByRole('rowheader').first().getByRole('button').click(),
    shows: { selector: '[role=dialog]', text: 'No management action' },
  },
  {
    name: 'Audit: oldest first',
    from: '/audit',
    act: sortBy('Time'),
    shows: { rows: 50, selector: ascending },
  },
  {
    name: 'Audit: filters that never meet',
    from: '/audit?action=content.update&actor=viewer',
    act: choose('Outcome', 'done'),
    shows: { text: 'No matching records so far' },
  },
  {
    name: 'Palette: contents with a part of a name',
    from: '/account',
    prepare: toPalette,
    act: type('part 7777'),
    shows: { text: 'The Long Film, part 7777' },
  },
  {
    name: 'Palette: a content by the beginning of its ID',
    from: '/account',
    prepare: toPalette,
    act: type('content-77777'),
    shows: { text: 'The Long Film, part 77777' },
  },
  {
    name: 'Palette: viewers',
    from: '/account',
    prepare: toPalette,
    act: type('viewer-19999'),
    shows: { text: 'viewer-199991' },
  },
  { name: 'Viewers: to the page', from: '/account', act: follow('Viewers'), shows: { rows: 50 } },
  {
    name: 'Viewers: search',
    from: '/viewers',
    prepare: toSearch,
    act: type('viewer-199'),
    shows: { rows: 50, each: 'viewer-199' },
  },
  {
    name: 'Viewers: one with a twentieth of all leases',
    from: '/viewers',
    act: (page) => page.getByRole('link', { name: 'viewer-0', exact: true }).click(),
    shows: { rows: 1, text: 'No management action on or by this viewer' },
  },
  {
    name: 'Refusals: to the page',
    from: '/account',
    act: follow('Refusals'),
    shows: { text: 'No refusals' },
  },
  {
    name: 'Refusals: an explanation',
    from: '/refusals',
    prepare: async (page) => {
      await page.getByLabel('Viewer ID, token or request ID').fill('viewer-0');
      await page.getByLabel('Content ID').fill('content-0');
    },
    act: click('Explain'),
    shows: { text: 'The key is' },
  },
  { name: 'Usage: to the page', from: '/account', act: follow('Usage'), shows: { text: 'Complete until' } },
  {
    name: 'Usage: 30 days by content',
    from: '/usage?by=content',
    act: click('30 days'),
    shows: { selector: 'main [aria-pressed=true]', text: 'every 2 hours' },
  },
  {
    name: 'Usage: by viewer, 6 hours in minutes',
    from: '/usage?range=6h',
    act: click('By viewer'),
    shows: { text: 'viewer-' },
  },
  { name: 'Webhooks: to the page', from: '/account', act: follow('Webhooks'), shows: { rows: 20 } },
  {
    name: 'Webhooks: one with 50,000 deliveries',
    from: '/webhooks',
    act: (page) => page.getByRole('link', { name: 'Receiver 0', exact: true }).click(),
    shows: { rows: 50 },
  },
  {
    name: 'Webhooks: failed deliveries',
    from: `/webhooks?webhook=${busiestWebhook}`,
    act: choose('State', 'failed'),
    shows: { rows: 50, each: 'Failed' },
  },
  { name: 'Settings: to the page', from: '/account', act: follow('Settings'), shows: { text: 'GB' } },
];
