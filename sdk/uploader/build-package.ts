// `node build-package.ts [folder]`: what is published, into `dist` or the folder: modules by Vite, types by tsc.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const outFolder = resolve(process.argv[2] ?? join(import.meta.dirname, 'dist'));

function run(tool: 'vite' | 'tsc', ...args: string[]): void {
  const command = join(import.meta.dirname, 'node_modules', '.bin', tool);
  const { status } = spawnSync(command, args, { cwd: import.meta.dirname, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

run('vite', 'build', '--outDir', outFolder, '--emptyOutDir', '--logLevel', 'warn');
run('tsc', '-p', 'tsconfig.build.json', '--outDir', outFolder);
// tsc leaves `./file.ts` as it is in declarations, where most tools look for `./file.js`.
for (const name of readdirSync(outFolder).filter((name) => name.endsWith('.d.ts'))) {
  const file = join(outFolder, name);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[^']+)\.ts'/g, "$1.js'"));
}
