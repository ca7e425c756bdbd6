// `npm run docs`: makes a site of the documents.
import { join } from 'node:path';
import { readFlags } from '@latchkey/support/read-flags';
import { preview } from 'vite';
import { readOpenApi } from './open-api.ts';
import { buildSite, readPages } from './site/build-site.ts';

const usage = `npm run docs: the documents as a site, with search and with the API reference of /openapi.json

It writes static files into docs/.vitepress/dist, which any web server can serve. The search runs in the browser.

  npm run docs                           for the root of a host
  npm run docs -- --base /latchkey/      for a path of a host
  npm run docs -- --serve                and serves them to this machine, until Ctrl-C
`;
const { values: flags } = readFlags(usage, {
  options: { base: { type: 'string', default: '/' }, serve: { type: 'boolean' } },
});
const { base } = flags;
if (!/^\/(?:[\w.~-]+\/)*$/.test(base)) {
  console.error(`--base is a path that begins and ends with a slash, such as /latchkey/, not ${base}`);
  process.exit(2);
}

const outDir = join(import.meta.dirname, '../docs/.vitepress/dist');
const complaints = await buildSite(readPages(await readOpenApi()), { outDir, base });
for (const complaint of complaints) console.error(complaint);
if (complaints.length > 0) process.exit(1);
console.log(`The site is in ${outDir}`);
if (flags.serve) {
  const server = await preview({
    appType: 'mpa',
    base,
    build: { outDir },
    configFile: false,
    preview: { host: '127.0.0.1' },
  });
  server.printUrls();
}
