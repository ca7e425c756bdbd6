import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@latchkey/support/black-box/server-process';
import { expect, it } from 'vitest';
import { buildSite } from './build-site.ts';

const page = `# Words

A sentence with <id>, {{ x }} and a:key:b is text.

[A folder](docs/README.md#its-place), [a file](docs/nginx.conf), <http://localhost:4100> and \`{{ y }}\`.
`;

it('the site shows what a document has, also tags and braces, and leads to pages alone', async () => {
  const folder = makeFolder();
  try {
    const pages = new Map([
      ['README.md', page],
      ['docs/README.md', '# A folder\n\n## Its place\n\nText.\n'],
    ]);
    expect(await buildSite(pages, { outDir: folder.path, base: '/latchkey/' })).toEqual([]);
    const html = readFileSync(join(folder.path, 'index.html'), 'utf8');
    expect(html).toContain('A sentence with &lt;id&gt;, {{ x }} and a:key:b is text.');
    expect(html).toContain('<a href="./docs/#its-place">A folder</a>, a file (<code>docs/nginx.conf</code>)');
    expect(html).toContain('<code>{{ y }}</code>');
    expect(readFileSync(join(folder.path, 'docs/index.html'), 'utf8')).toContain('id="its-place"');
    expect(html).toContain('src="/latchkey/assets/');
    expect(html).toContain('<link rel="icon" type="image/svg+xml" href="/latchkey/icon.svg">');
    expect(readFileSync(join(folder.path, 'icon.svg'), 'utf8')).toContain('<svg');
  } finally {
    folder.remove();
  }
});

it('a link to a page that does not exist fails the build of the site', async () => {
  const [complaint] = await buildSite(new Map([['README.md', '# Words\n\n[Nothing](docs/nothing.md)\n']]));
  expect(complaint).toContain('Found dead link ./docs/nothing in file README.md');
});
