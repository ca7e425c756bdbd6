import { existsSync } from 'node:fs';
import { freePorts, makeTestFolder, startInTest } from '@latchkey/support/black-box/own-process';
import { unique } from '@latchkey/support/black-box/unique';
import { buildDashboard } from '@latchkey/support/dashboard/open-dashboard';
import { expect, it, onTestFinished } from 'vitest';
import { type Firefox, openFirefox } from './documents/firefox.ts';

const firefoxPath = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';

/** Functions in the page that find elements by name: Playwright cannot drive the Firefox of Debian. */
const addHands = `(() => {
  const nameOf = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim();
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  window.hands = {
    find: (name) => all('button:not(:disabled), a[href]').find((each) => nameOf(each) === name),
    click: (name) => void window.hands.find(name).click(),
    field: (label) => all('label').find((each) => each.textContent.startsWith(label))?.control,
    fill: (label, value) => {
      const field = window.hands.field(label);
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, value);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    },
    heading: () => document.querySelector('h1')?.textContent ?? '',
    isAtRest: () => !document.querySelector('[aria-busy="true"]'),
  };
})()`;

const shown = 'document.body.innerText.slice(0, 1000)';

async function click(firefox: Firefox, name: string): Promise<void> {
  await firefox.until(`Boolean(window.hands.find(${JSON.stringify(name)}))`, shown);
  await firefox.evaluate(`window.hands.click(${JSON.stringify(name)})`);
}

async function fill(firefox: Firefox, label: string, value: string): Promise<void> {
  await firefox.until(`Boolean(window.hands.field(${JSON.stringify(label)}))`, shown);
  await firefox.evaluate(`window.hands.fill(${JSON.stringify(label)}, ${JSON.stringify(value)})`);
}

it.skipIf(!existsSync(firefoxPath))(
  'in Firefox a fresh server is claimed, a content is registered, and each page opens without an error',
  async () => {
    buildDashboard();
    const url = await startInTest(makeTestFolder(), { ...freePorts, SQLITE_PATH: undefined }).listens();
    const firefox = await openFirefox(firefoxPath);
    onTestFinished(() => firefox.close());
    await firefox.open(`${url}/admin/`);
    await firefox.evaluate(addHands);
    await click(firefox, 'Claim this server');
    await firefox.until(`Boolean(document.querySelector('[data-testid="raw-key"]'))`, shown);
    await firefox.evaluate(`window.hands.field('I have stored this key').click()`);
    await click(firefox, 'Continue');
    const id = unique('film');
    await fill(firefox, 'Name', 'The long way home');
    await fill(firefox, 'ID', id);
    await click(firefox, 'Register the content');
    await click(firefox, 'Go to the dashboard');
    const pages = [
      'Overview',
      'API keys',
      'Content',
      'Leases',
      'Viewers',
      'Refusals',
      'Usage',
      'Audit',
      'Webhooks',
      'Settings',
    ];
    for (const name of [...pages, 'Your key']) {
      await click(firefox, name);
      const isThere = `window.hands.heading() === ${JSON.stringify(name)} && window.hands.isAtRest()`;
      await firefox.until(isThere, shown);
    }
    await click(firefox, 'Content');
    await firefox.until(`document.body.innerText.includes('The long way home')`, shown);
    await firefox.evaluate(
      `document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))`,
    );
    await firefox.until(`Boolean(document.querySelector('[role="dialog"] [role="combobox"]'))`, shown);
    expect(
      await firefox.evaluate(`document.querySelectorAll('[role="dialog"] [role="option"]').length`),
    ).toBe(pages.length + 1);
    expect(firefox.errors()).toEqual([]);
  },
);
