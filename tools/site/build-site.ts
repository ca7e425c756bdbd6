import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { listSourceFiles } from '@latchkey/support/source-files';
import type { OpenApi } from '../open-api.ts';
import { renderApiPages } from './api-pages.ts';

const root = join(import.meta.dirname, '../..');
const docs = join(root, 'docs');
const apiFolder = 'docs/reference/api';

/** The pages and pictures of the site, by paths from the root of the repository. */
type Pages = ReadonlyMap<string, Buffer | string>;

/** Every document of the repository with its pictures, and the API reference. */
export function readPages(openApi: OpenApi): Pages {
  const files = listSourceFiles(root).filter((file) => /\.(?:md|webp)$/.test(file));
  return new Map<string, Buffer | string>([
    ...files.map((file) => [file, readFileSync(join(root, file))] as const),
    ...[...renderApiPages(openApi)].map(([file, text]) => [`${apiFolder}/${file}`, text] as const),
  ]);
}

/**
 * Builds the site by VitePress from copies, in a folder that it removes: a build writes next to its sources, and other steps of the check
 * read them meanwhile. Returns the output of a build that failed; empty if it succeeded. A link to a page that does not exist is a failure.
 *
 * @param outDir absolute path of the site. Optional: without it, nothing is kept
 * @param base the path that the site is served below, from `/` to `/`
 */
export async function buildSite(pages: Pages, { outDir = '', base = '/' } = {}): Promise<string[]> {
  // Below docs, where Node finds Vue, which the pages import while they are rendered.
  mkdirSync(join(docs, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(docs, '.cache/site-'));
  const write = (file: string, content: Buffer | string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  try {
    for (const [file, content] of pages) write(file, content);
    write('public/icon.svg', readFileSync(join(root, 'admin/src/styles/icon.svg')));
    const apiPages = [...pages]
      .filter(([file]) => dirname(file) === apiFolder)
      .map(([file, text]) => ({ file, title: /^# (.*)/.exec(`${text}`)?.[1] }));
    const site = JSON.stringify({ base, outDir: outDir || join(folder, 'dist'), apiPages });
    write(
      '.vitepress/config.js',
      `import { configure } from '../../../.vitepress/config.ts';\nexport default configure(${site});\n`,
    );
    write('.vitepress/theme/index.js', "export { default } from '../../../../.vitepress/theme/index.ts';\n");
    return await runVitePress(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runVitePress(folder: string): Promise<string[]> {
  const program = join(docs, 'node_modules/vitepress/bin/vitepress.js');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'build', folder], { cwd: docs }, (error, stdout, stderr) => {
      // VitePress colours its output also without a terminal, where the environment has CI or FORCE_COLOR.
      resolve(error ? [stripVTControlCharacters(`${stdout}${stderr}`).trim() || error.message] : []);
    });
  });
}
