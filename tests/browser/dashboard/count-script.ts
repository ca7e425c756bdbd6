import { get } from 'node:http';
import type { Page } from 'playwright-core';

/** The gzip size, in bytes, of the scripts that a page has loaded since it was opened. */
export async function countScriptBytes(page: Page): Promise<number> {
  const names = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  )) as string[];
  const files = await Promise.all([...new Set(names)].map((name) => fetchEncoded(name, 'gzip')));
  return files.reduce((sum, { length }) => sum + length, 0);
}

/** The brotli size, in bytes, of the scripts of the first page: the files that the page at an address names, their imports, and the overview. */
export async function countFirstBytes(address: string): Promise<number> {
  const page = (await fetchEncoded(address, 'identity')).toString();
  const sizes = new Map<string, number>();
  const todo = [...page.matchAll(/ src="([^"]+\.js)"/g)].map(([, path = '']) => new URL(path, address).href);
  for (let url = todo.pop(); url !== undefined; url = todo.pop()) {
    if (sizes.has(url)) continue;
    sizes.set(url, (await fetchEncoded(url, 'br')).length);
    const code = (await fetchEncoded(url, 'identity')).toString();
    const imports = code.matchAll(
      /(?:(?:from|import)\s*["'`](\.\/[^"'`]+\.js)|import\(["'`](\.\/overview-[^"'`]+\.js))["'`]/g,
    );
    for (const [, path = '', overview = ''] of imports) todo.push(new URL(path || overview, url).href);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** The bytes of an answer as they come. */
function fetchEncoded(url: string, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve(Buffer.concat(parts)));
    });
    request.on('error', reject);
  });
}
