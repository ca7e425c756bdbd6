import { get } from 'node:http';
import type { Page } from 'playwright-core';

/** Octets of the scripts that a page has fetched since it was opened, each as the server sends it to who takes gzip. */
export async function countScriptOctets(page: Page): Promise<number> {
  const names = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  )) as string[];
  const sizes = await Promise.all([...new Set(names)].map(countGzipOctets));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function countGzipOctets(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let octets = 0;
      response.on('data', (part: Buffer) => {
        octets += part.length;
      });
      response.on('end', () => resolve(octets));
    });
    request.on('error', reject);
  });
}
