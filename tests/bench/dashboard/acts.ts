import type { Page } from 'playwright-core';

/** Milliseconds between two keys of somebody who types fast. */
const keyPauseMs = 60;

// What an interaction does, as its `act` or `prepare`.

export const type = (text: string) => (page: Page) => page.keyboard.type(text, { delay: keyPauseMs });

export const toSearch = (page: Page) => page.keyboard.press('/');

export const toPalette = async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').waitFor();
};

export const click = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).click();

export const follow = (name: string) => (page: Page) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click();

export const choose = (label: string, value: string) => (page: Page) =>
  page.getByLabel(label, { exact: true }).selectOption(value);

export const sortBy = (header: string) => (page: Page) =>
  page.getByRole('columnheader', { name: header }).getByRole('button').click();
