import { get } from 'node:http';
import type { Page } from 'playwright-core';

/** The gzip size, in bytes, of the scripts that a page has loaded since it was opened. */
export async function countScriptBytes(page: Page): Promise<number> {
  const names = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  )) as string[];
  const sizes = await Promise.all([...new Set(names)].map(countGzipBytes));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function countGzipBytes(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('end', () => resolve(bytes));
    });
    request.on('error', reject);
  });
}
