// `node tools/image/lay-out.ts <PACKAGE> <folder>` runs while an image is built. It copies the files for the image into the
// folder, in two parts, so that Docker repeats an installation only when a manifest has changed.
//   manifests/  the lock file, the package.json of each package, and unused-packages.json: the packages that `prune.ts` removes
//   code/       their sources, the built dashboard if the image serves it, `main.ts` (a link to the entry), the health check and
//               image.json
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { images, isOfAnotherProgram } from './images.ts';

const root = join(import.meta.dirname, '../..');
const [name = '', out = ''] = process.argv.slice(2);
const image = images[name];
if (!image || !out) {
  process.stderr.write(
    `--build-arg PACKAGE=${name} is not the name of an image. Accepted: ${Object.keys(images).join(', ')}.\n`,
  );
  process.exit(2);
}

function copy(file: string, part: 'manifests' | 'code'): void {
  const target = join(out, part, file);
  mkdirSync(dirname(target), { recursive: true });
  const filter = (source: string) => !isOfAnotherProgram(name, relative(root, source));
  cpSync(join(root, file), target, { recursive: true, filter });
}

for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) copy(file, 'manifests');
writeFileSync(join(out, 'manifests', 'unused-packages.json'), JSON.stringify(image.unused ?? []));
for (const folder of image.packages) {
  copy(join(folder, 'package.json'), 'manifests');
  copy(join(folder, 'src'), 'code');
}
if (image.hasDashboard) copy(join('admin', 'dist'), 'code');
const code = join(out, 'code');
// Node resolves the link, so the same command starts every image.
symlinkSync(image.entry, join(code, 'main.ts'));
for (const file of ['healthcheck.sh', 'healthcheck-tls.mjs'])
  cpSync(join(import.meta.dirname, file), join(code, file));
writeFileSync(join(code, 'image.json'), `${JSON.stringify({ package: name, port: image.port })}\n`);
