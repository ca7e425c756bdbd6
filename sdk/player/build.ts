import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'vite';

const folder = dirname(fileURLToPath(import.meta.url));

/** The oldest browsers that play HLS natively and cannot run hls.js. */
const target = ['es2020', 'safari14'];

/**
 * Each becomes one module. They share `player-error`, so that an error is an `instanceof` the class of either entry. `index` loads
 * `remote` and hls.js when they are needed.
 */
const entries = ['index', 'player-error', 'remote', 'shaka'];

/**
 * Builds the package: one ES module per entry, with its declarations. hls.js stays an import.
 *
 * @param outDir default: `dist`, which the package's exports name
 * @returns absolute path of the main module
 */
export async function buildPlayer(outDir = join(folder, 'dist')): Promise<string> {
  await rm(outDir, { recursive: true, force: true });
  for (const entry of entries) await bundle(entry, outDir);
  await declare(outDir);
  return join(outDir, 'index.js');
}

/** A module that is shared, or loaded later, stays a file of its own, next to the modules that import it. */
const keptApart: Plugin = {
  name: 'kept-apart',
  enforce: 'pre',
  resolveId: (name) => (name === './player-error.ts' ? { id: './player-error.js', external: true } : null),
  resolveDynamicImport: (name) => (name === './remote.ts' ? { id: './remote.js', external: true } : null),
};

async function bundle(entry: string, outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    plugins: [keptApart],
    build: {
      outDir,
      emptyOutDir: false,
      target,
      lib: { entry: join(folder, `src/${entry}.ts`), formats: ['es'], fileName: entry },
      rolldownOptions: {
        external: ['hls.js'],
        output: {
          // In full: Vite keeps the white space of a library's ES module, for tools that read its annotations.
          minify: true,
          comments: false,
          // As `const`, so that the minifier inlines each number.
          topLevelVar: false,
        },
      },
    },
  });
}

/** Types, as tsc emits them. */
async function declare(outDir: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const project = join(folder, 'tsconfig.build.json');
  await promisify(execFile)(process.execPath, [compiler, '-p', project, '--outDir', outDir]);
  const names = (await readdir(outDir)).filter((name) => name.endsWith('.d.ts'));
  await Promise.all(
    names.map(async (name) => {
      const file = join(outDir, name);
      const text = await readFile(file, 'utf8');
      // A declaration imports the others by their published names.
      await writeFile(file, text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
    }),
  );
}

if (import.meta.main) await buildPlayer(process.argv[2]);
