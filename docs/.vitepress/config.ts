import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { DefaultTheme, UserConfig } from 'vitepress';
import { anchorOf } from '../../tools/rules/heading-links.ts';
import { readAsMarkdown } from './read-as-markdown.ts';

/** The settings that differ between builds (`tools/site/build-site.ts`). */
interface Site {
  base: string;
  outDir: string;
  apiPages: readonly { file: string; title: string }[];
}

/** The documents are read as they are: `README.md` is the page of its folder, and each link stays what it is in a viewer of Markdown. */
export function configure({ base, outDir, apiPages }: Site): UserConfig<DefaultTheme.Config> {
  return {
    title: 'Latchkey',
    description: 'A self-hosted key server for encrypted HLS video',
    lang: 'en',
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
    base,
    outDir,
    rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
    // Addresses of the server that the reader has started.
    ignoreDeadLinks: 'localhostLinks',
    markdown: {
      anchor: { slugify: anchorOf },
      // `{id}` is text.
      attrs: { disable: true },
      config: readAsMarkdown,
    },
    themeConfig: {
      nav: [
        { text: 'Documents', link: '/docs/' },
        { text: 'API', link: '/docs/reference/api/' },
        { text: 'Changelog', link: '/CHANGELOG' },
      ],
      sidebar: [...readIndex(), { text: 'API', items: apiPages.map(({ file, title }) => item(title, file)) }],
      outline: [2, 3],
      search: {
        provider: 'local',
        // A name such as LEASE_TTL_SECONDS is three words, which most pages have one of.
        options: { miniSearch: { searchOptions: { combineWith: 'AND' } } },
      },
    },
    // The index of the search is one file. A reader loads it with the first search.
    vite: { build: { chunkSizeWarningLimit: 10_000, reportCompressedSize: false } },
  };
}

/** The sections of docs/README.md, with the pages that the first column of their tables links to. */
function readIndex(): DefaultTheme.SidebarItem[] {
  const index = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const [, ...sections] = index.split(/^## /m);
  return sections.map((section) => {
    const [title = ''] = section.split(/[:\n]/);
    const cells = section.split('\n').map((line) => line.split('|')[1] ?? '');
    const links = cells.join('\n').matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g);
    const items = [...links].map(([, text = '', target = '']) => item(text, posix.join('docs', target)));
    return { text: title, items };
  });
}

function item(text: string, file: string): DefaultTheme.SidebarItem {
  const title = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return { text: title, link: `/${file.replace(/(?:README|index)?\.md$/, '')}` };
}
