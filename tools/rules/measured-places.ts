import { documents } from '@latchkey/support/measured/documents';

/** Finds measurements without their place in a document, and places without figures of a command that package.json has. */
export function findUnmeasuredPlaces(files: readonly string[], read: (file: string) => string): string[] {
  const { scripts } = JSON.parse(read('package.json'));
  const places = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/<!-- measured: (\S+) -->\n(.*)\n/g)].map(([, part = '', said = '']) => {
        const script = /^Measured by `npm run (\S+)( .*)?` on one machine/.exec(said)?.[1] ?? '';
        return { file, part, isFilled: script in scripts };
      }),
    );
  const missing = Object.entries(documents).flatMap(([part, inFiles]) =>
    inFiles
      .filter((file) => !places.some((place) => place.file === file && place.part === part))
      .map((file) => `${file} has no place for the figures of ${part}`),
  );
  const wrong = places.filter(({ file, part, isFilled }) => !isFilled || !documents[part]?.includes(file));
  return [...missing, ...wrong.map(({ file, part }) => `${file}: no command writes the figures of ${part}`)];
}
